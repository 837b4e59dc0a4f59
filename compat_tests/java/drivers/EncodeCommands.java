import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.rocketmq.common.MQVersion;
import org.apache.rocketmq.remoting.CommandCustomHeader;
import org.apache.rocketmq.remoting.netty.NettyEncoder;
import org.apache.rocketmq.remoting.protocol.LanguageCode;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.SerializeType;

/**
 * Arguments: seed, rounds. In each round builds a random command for every header class (and one without header) in
 * both serializations, and prints its values and its bytes: `wire` from the pipeline's encoder, `encode` from
 * RemotingCommand.encode().
 *
 * Ext fields are added the two ways Java code does: `before` the header is looked at, or `after` a hook (as that for
 * ACL does) has put the header into them.
 */
public final class EncodeCommands {
    private static final int[] ODD_INTS = {0, 1, -1, 127, 128, 32767, 32768, Integer.MAX_VALUE, Integer.MIN_VALUE};
    private static final long[] ODD_LONGS = {0, 1, -1, 1L << 32, 1700000000000L, Long.MAX_VALUE, Long.MIN_VALUE};

    private final Random random;
    private final RandomText text;

    private EncodeCommands(long seed) {
        random = new Random(seed);
        text = new RandomText(random);
    }

    public static void main(String[] args) throws Exception {
        EncodeCommands driver = new EncodeCommands(Long.parseLong(args[0]));
        List<Class<?>> headers = new ArrayList<>(Headers.concrete());
        headers.add(null);
        for (int round = 0; round < Integer.parseInt(args[1]); round++) {
            for (Class<?> header : headers) {
                for (SerializeType serializer : SerializeType.values()) {
                    driver.encode(header == null ? null : Headers.make(header), serializer);
                }
            }
        }
    }

    private void encode(CommandCustomHeader header, SerializeType serializer) throws Exception {
        if (header != null) {
            fill(header);
        }
        Map<String, String> before = random.nextInt(3) == 0 ? extFields("before") : new LinkedHashMap<>();
        boolean hooked = random.nextInt(3) == 0;
        Map<String, String> after = hooked ? extFields("after") : new LinkedHashMap<>();
        int code = random.nextInt(4) == 0 ? 200000 + random.nextInt(200) : random.nextInt(1100);
        // Only JSON can leave the language out.
        LanguageCode language = serializer == SerializeType.JSON && random.nextInt(20) == 0
            ? null : LanguageCode.values()[random.nextInt(LanguageCode.values().length)];
        int version = MQVersion.CURRENT_VERSION - (random.nextInt(4) == 0 ? random.nextInt(10) : 0);
        int opaque = random.nextInt(4) == 0 ? number() : random.nextInt(100000);
        int flag = random.nextInt(10) == 0 ? number() : random.nextInt(4);
        String remark = text.nextOrNull();
        byte[] body = body();

        RemotingCommand[] twins = new RemotingCommand[2];
        for (int i = 0; i < twins.length; i++) {
            RemotingCommand command = RemotingCommand.createRequestCommand(code, header);
            command.setSerializeTypeCurrentRPC(serializer);
            command.setLanguage(language);
            command.setVersion(version);
            command.setOpaque(opaque);
            command.setFlag(flag);
            command.setRemark(remark);
            command.setBody(body);
            before.forEach(command::addExtField);
            if (hooked) {
                command.makeCustomHeaderToNet();
                after.forEach(command::addExtField);
            }
            twins[i] = command;
        }
        byte[] wire = wire(twins[0]);
        byte[] encoded = bytes(twins[1].encode());
        Json.print(Json.object(
            "header", header == null ? null : header.getClass().getName(),
            "values", header == null ? null : Headers.values(header),
            "before", before, "hooked", hooked, "after", after,
            // In the order of the map: that of the twin which encode() filled.
            "ext_names", twins[1].getExtFields() == null ? null : new ArrayList<>(twins[1].getExtFields().keySet()),
            "serializer", serializer.name(), "code", code, "language", language, "version", version, "opaque", opaque,
            "flag", flag, "remark", remark, "body", Hex.of(body), "wire", Hex.of(wire), "encode", Hex.of(encoded)));
    }

    private void fill(CommandCustomHeader header) throws IllegalAccessException {
        for (Field field : Headers.fields(header.getClass())) {
            Object value = value(field.getType());
            if (value != null) {
                field.set(header, value);
            }
        }
    }

    /** A value for a field, or null: leave it as the class made it. */
    private Object value(Class<?> type) {
        if (random.nextInt(4) == 0) {
            return null;
        }
        if (type == String.class) {
            return text.next();
        }
        if (type == int.class || type == Integer.class) {
            return number();
        }
        if (type == long.class || type == Long.class) {
            return random.nextBoolean() ? ODD_LONGS[random.nextInt(ODD_LONGS.length)] : random.nextLong();
        }
        if (type == boolean.class || type == Boolean.class) {
            return random.nextBoolean();
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[random.nextInt(type.getEnumConstants().length)];
        }
        // 4.9 has lists in its ACL headers, which do not survive the journey.
        return null;
    }

    private int number() {
        return random.nextBoolean() ? ODD_INTS[random.nextInt(ODD_INTS.length)] : random.nextInt();
    }

    private Map<String, String> extFields(String kind) {
        Map<String, String> result = new LinkedHashMap<>();
        int count = random.nextInt(10) == 0 ? 250 : 1 + random.nextInt(20);
        for (int i = 0; i < count; i++) {
            result.put(random.nextInt(5) == 0 ? kind + i + text.next() : kind + i, text.next());
        }
        return result;
    }

    private byte[] body() {
        int dice = random.nextInt(3);
        if (dice == 0) {
            return null;
        }
        byte[] result = new byte[dice == 1 ? 0 : random.nextInt(200)];
        random.nextBytes(result);
        return result;
    }

    private static byte[] wire(RemotingCommand command) {
        EmbeddedChannel channel = new EmbeddedChannel(new NettyEncoder());
        channel.writeOutbound(command);
        ByteBuf out = channel.readOutbound();
        byte[] result = new byte[out.readableBytes()];
        out.readBytes(result);
        out.release();
        channel.close();
        return result;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] result = new byte[buffer.remaining()];
        buffer.get(result);
        return result;
    }
}
