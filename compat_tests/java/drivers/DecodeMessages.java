import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.rocketmq.client.trace.TraceBean;
import org.apache.rocketmq.client.trace.TraceContext;
import org.apache.rocketmq.client.trace.TraceDataEncoder;
import org.apache.rocketmq.common.compression.CompressorFactory;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageClientExt;
import org.apache.rocketmq.common.message.MessageClientIDSetter;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageId;
import org.apache.rocketmq.common.sysflag.MessageSysFlag;
import org.apache.rocketmq.remoting.protocol.header.ExtraInfoUtil;

/**
 * Reads lines of a word and hex digits; prints, one JSON value a line, what Java reads there. Words: `records` (as a
 * consumer takes them), `batch`, `body/SYSFLAG` (compressed), and, for text in UTF-8, `properties`, `offset_id`, `unique_id`,
 * `trace`, `starts`, `offsets`, `counts`.
 */
public final class DecodeMessages {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int blank = line.indexOf(' ');
            Json.print(read(line.substring(0, blank), Hex.bytes(line.substring(blank + 1))));
        }
    }

    private static Object read(String what, byte[] bytes) throws Exception {
        String text = new String(bytes, StandardCharsets.UTF_8);
        switch (what) {
            case "records":
                return records(bytes);
            case "batch":
                return batch(bytes);
            case "properties":
                return MessageDecoder.string2messageProperties(text);
            case "offset_id":
                MessageId id = MessageDecoder.decodeMessageId(text);
                return Json.object("host", host(id.getAddress()), "offset", id.getOffset());
            case "unique_id":
                return Json.object("pid", MessageClientIDSetter.getPidFromID(text),
                    "ip", Hex.of(MessageClientIDSetter.getIPFromID(text)),
                    "now", System.currentTimeMillis(),
                    "born_at", MessageClientIDSetter.getNearlyTimeFromID(text).getTime());
            case "trace":
                return trace(text);
            case "starts":
                return ExtraInfoUtil.parseStartOffsetInfo(text);
            case "offsets":
                return ExtraInfoUtil.parseMsgOffsetInfo(text);
            case "counts":
                return ExtraInfoUtil.parseOrderCountInfo(text);
            default:
                int sysFlag = Integer.parseInt(what.substring("body/".length()));
                return Hex.of(CompressorFactory.getCompressor(MessageSysFlag.getCompressionType(sysFlag)).decompress(bytes));
        }
    }

    /** What PullAPIWrapper gives its consumer. */
    private static List<Object> records(byte[] bytes) throws Exception {
        List<MessageExt> messages = new ArrayList<>();
        int unwrap = MessageSysFlag.INNER_BATCH_FLAG | MessageSysFlag.NEED_UNWRAP_FLAG;
        for (MessageExt message : MessageDecoder.decodesBatch(ByteBuffer.wrap(bytes), true, true, true)) {
            if ((message.getSysFlag() & unwrap) == unwrap) {
                MessageDecoder.decodeMessage(message, messages);
            } else {
                messages.add(message);
            }
        }
        List<Object> shown = new ArrayList<>();
        for (MessageExt message : messages) {
            shown.add(Json.object("topic", message.getTopic(), "flag", message.getFlag(),
                "body", Hex.of(message.getBody()), "body_crc", message.getBodyCRC(), "queue_id", message.getQueueId(),
                "queue_offset", message.getQueueOffset(), "commit_log_offset", message.getCommitLogOffset(),
                "sys_flag", message.getSysFlag(), "born_timestamp", message.getBornTimestamp(),
                "born_host", host(message.getBornHost()), "store_timestamp", message.getStoreTimestamp(),
                "store_host", host(message.getStoreHost()), "reconsume_times", message.getReconsumeTimes(),
                "prepared_transaction_offset", message.getPreparedTransactionOffset(),
                "store_size", message.getStoreSize(), "properties", message.getProperties(), "tags", message.getTags(),
                "msg_id", message.getMsgId(), "offset_msg_id", ((MessageClientExt) message).getOffsetMsgId()));
        }
        return shown;
    }

    private static List<Object> batch(byte[] bytes) throws Exception {
        List<Object> shown = new ArrayList<>();
        for (Message message : MessageDecoder.decodeMessages(ByteBuffer.wrap(bytes))) {
            shown.add(Json.object("flag", message.getFlag(), "body", Hex.of(message.getBody()),
                "properties", message.getProperties()));
        }
        return shown;
    }

    private static List<Object> trace(String text) {
        List<Object> shown = new ArrayList<>();
        for (TraceContext context : TraceDataEncoder.decoderFromTraceDataString(text)) {
            TraceBean bean = context.getTraceBeans().get(0);
            Map<String, Object> fields = Json.object("kind", context.getTraceType().name(),
                "success", context.isSuccess(), "topic", bean.getTopic(), "msg_id", bean.getMsgId(),
                "keys", bean.getKeys(), "offset_msg_id", bean.getOffsetMsgId());
            shown.add(fields);
        }
        return shown;
    }

    private static List<Object> host(SocketAddress address) {
        InetSocketAddress host = (InetSocketAddress) address;
        return Arrays.asList(host.getAddress().getHostAddress(), host.getPort());
    }
}
