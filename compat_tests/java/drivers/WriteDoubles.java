import com.alibaba.fastjson2.JSON;
import java.util.Random;
import org.apache.rocketmq.remoting.protocol.body.BrokerStatsItem;

/** Prints random doubles: their bits in hex, and how they stand in a body. Arguments: a seed, and how many. */
public final class WriteDoubles {
    public static void main(String[] args) {
        Random random = new Random(Long.parseLong(args[0]));
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            double value = next(random, i % 7);
            BrokerStatsItem item = new BrokerStatsItem();
            item.setTps(value);
            String text = JSON.toJSONString(item).replaceAll(".*\"tps\":(.*)\\}", "$1");
            System.out.println(Long.toHexString(Double.doubleToRawLongBits(value)) + "\t" + text);
        }
    }

    private static double next(Random random, int kind) {
        switch (kind) {
            case 0:
                return Double.longBitsToDouble(random.nextLong());
            case 1:
                return random.nextInt(100000) / 60.0;
            case 2:
                return random.nextInt(1000000) / 1000.0;
            case 3:
                return random.nextGaussian() * Math.pow(10, random.nextInt(20) - 8);
            case 4:
                return random.nextInt();
            case 5:
                // a power of two: the gap below it is smaller than that above
                return Double.longBitsToDouble((long) random.nextInt(2047) << 52);
            default:
                // close to zero, where doubles lose digits
                return Double.longBitsToDouble(random.nextLong() & 0x001fffffffffffffL);
        }
    }
}
