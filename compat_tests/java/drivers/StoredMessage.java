import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Map;
import java.util.TreeMap;
import org.apache.rocketmq.common.message.MessageClientExt;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageExt;

/** How a message out of a store is shown to the tests. */
final class StoredMessage {
    private StoredMessage() {
    }

    /** Everything that was stored; the body is shown unpacked, as a consumer gets it. */
    static Map<String, Object> row(MessageExt message) {
        Map<String, String> properties = new TreeMap<>(message.getProperties());
        // The pulling client adds these two.
        properties.remove(MessageConst.PROPERTY_MIN_OFFSET);
        properties.remove(MessageConst.PROPERTY_MAX_OFFSET);
        return Json.object("kind", "message", "topic", message.getTopic(), "queueId", message.getQueueId(),
            "queueOffset", message.getQueueOffset(), "commitLogOffset", message.getCommitLogOffset(),
            "storeSize", message.getStoreSize(), "sysFlag", message.getSysFlag(), "flag", message.getFlag(),
            "bodyCrc", message.getBodyCRC(), "sha256", sha256(message.getBody()),
            "bornTimestamp", message.getBornTimestamp(), "bornHost", host(message.getBornHost()),
            "storeTimestamp", message.getStoreTimestamp(), "storeHost", host(message.getStoreHost()),
            "reconsumeTimes", message.getReconsumeTimes(),
            "preparedTransactionOffset", message.getPreparedTransactionOffset(),
            "msgId", message.getMsgId(), "offsetMsgId", offsetMsgId(message), "properties", properties);
    }

    static String offsetMsgId(MessageExt message) {
        return message instanceof MessageClientExt ? ((MessageClientExt) message).getOffsetMsgId() : message.getMsgId();
    }

    static String sha256(byte[] body) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(body);
            return String.format("%064x", new BigInteger(1, digest));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String host(SocketAddress address) {
        InetSocketAddress host = (InetSocketAddress) address;
        return host.getAddress().getHostAddress() + " " + host.getPort();
    }
}
