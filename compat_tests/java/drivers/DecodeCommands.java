import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;
import org.apache.rocketmq.remoting.CommandCustomHeader;
import org.apache.rocketmq.remoting.netty.NettyDecoder;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;

/**
 * Reads lines of a frame in hex and, after a blank, the simple name of a header class or `-`. Prints what the
 * pipeline's decoder and decodeCommandCustomHeader make of each; the header is null where this release has no such class
 * or refuses its values.
 */
public final class DecodeCommands {
    public static void main(String[] args) throws Exception {
        Map<String, Class<?>> headers = new HashMap<>();
        for (Class<?> header : Headers.concrete()) {
            headers.put(header.getSimpleName(), header);
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            print(decode(Hex.bytes(words[0])), headers.get(words[1]));
        }
    }

    private static RemotingCommand decode(byte[] frame) {
        EmbeddedChannel channel = new EmbeddedChannel(new NettyDecoder());
        channel.writeInbound(Unpooled.wrappedBuffer(frame));
        RemotingCommand command = channel.readInbound();
        channel.close();
        return command;
    }

    private static void print(RemotingCommand command, Class<?> header) throws IllegalAccessException {
        if (command == null) {
            Json.print(null);
            return;
        }
        Object decoded = null;
        String refusal = null;
        try {
            decoded = header == null
                ? null : command.decodeCommandCustomHeader(header.asSubclass(CommandCustomHeader.class));
        } catch (Exception e) {
            refusal = e.toString();
        }
        Json.print(Json.object(
            "code", command.getCode(), "language", command.getLanguage(), "version", command.getVersion(),
            "opaque", command.getOpaque(), "flag", command.getFlag(), "remark", command.getRemark(),
            "ext_fields", command.getExtFields(), "body", Hex.of(command.getBody()),
            "header", decoded == null ? null : Headers.values(decoded), "refusal", refusal));
    }
}
