import com.alibaba.fastjson2.JSON;
import com.alibaba.fastjson2.JSONWriter.Feature;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * Reads names of body classes; prints, for random objects of each, the class and its JSON in hex: as
 * RemotingSerializable.encode writes it, as a name server writes a route, and as a broker writes its files.
 * Arguments: a seed, and how many objects of each class.
 */
public final class WriteBodies {
    public static void main(String[] args) throws Exception {
        RandomBody bodies = new RandomBody(new Random(Long.parseLong(args[0])));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String name = in.readLine(); name != null; name = in.readLine()) {
            for (int i = 0; i < Integer.parseInt(args[1]); i++) {
                print(name, bodies.next(Class.forName(name)));
            }
        }
    }

    private static void print(String name, Object body) {
        byte[] compact = JSON.toJSONBytes(body, StandardCharsets.UTF_8);
        byte[] browser = JSON.toJSONBytes(body, StandardCharsets.UTF_8, Feature.BrowserCompatible, Feature.MapSortField);
        byte[] pretty = JSON.toJSONString(body, Feature.PrettyFormat).getBytes(StandardCharsets.UTF_8);
        System.out.println(String.join("\t", name, Hex.of(compact), Hex.of(browser), Hex.of(pretty)));
    }
}
