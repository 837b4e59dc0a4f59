import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.PullResult;
import org.apache.rocketmq.client.consumer.PullStatus;
import org.apache.rocketmq.client.impl.MQAdminImpl;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.tools.admin.DefaultMQAdminExt;

/**
 * Reads topics as a consumer does. Arguments: name server, a tag, topics. Prints a row for each queue with its bounds and the
 * offsets of that tag, a row for each message, and a last one that counts what was found again by offset id, unique key and key.
 */
public final class ReadStore {
    private static final int MANY = 64;

    private final DefaultMQPullConsumer consumer = new DefaultMQPullConsumer("StoreReaders");
    private final DefaultMQAdminExt admin = new DefaultMQAdminExt();
    private final List<MessageExt> read = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        ReadStore reader = new ReadStore();
        reader.start(args[0]);
        for (String topic : Arrays.asList(args).subList(2, args.length)) {
            reader.readTopic(topic, args[1]);
        }
        reader.lookUpAll();
        System.exit(0);
    }

    private void start(String nameServer) throws Exception {
        consumer.setNamesrvAddr(nameServer);
        consumer.start();
        admin.setNamesrvAddr(nameServer);
        admin.start();
    }

    private void readTopic(String topic, String tag) throws Exception {
        Map<MessageQueue, ?> queues = admin.examineTopicStats(topic).getOffsetTable();
        List<MessageQueue> sorted = new ArrayList<>(queues.keySet());
        sorted.sort(Comparator.naturalOrder());
        for (MessageQueue queue : sorted) {
            List<MessageExt> messages = pullAll(queue, "*");
            List<Object> tagged = new ArrayList<>();
            pullAll(queue, tag).forEach(message -> tagged.add(message.getQueueOffset()));
            Json.print(Json.object("kind", "queue", "topic", topic, "queueId", queue.getQueueId(),
                "min", admin.minOffset(queue), "max", admin.maxOffset(queue), "tagged", tagged));
            messages.forEach(message -> Json.print(StoredMessage.row(message)));
            read.addAll(messages);
        }
    }

    private List<MessageExt> pullAll(MessageQueue queue, String tag) throws Exception {
        List<MessageExt> found = new ArrayList<>();
        long end = admin.maxOffset(queue);
        for (long offset = admin.minOffset(queue); offset < end; ) {
            PullResult result = consumer.pull(queue, tag, offset, 32);
            if (result.getPullStatus() == PullStatus.FOUND) {
                found.addAll(result.getMsgFoundList());
            }
            if (result.getNextBeginOffset() <= offset) {
                throw new IllegalStateException("no way on at " + offset + " of " + queue + ": " + result);
            }
            offset = result.getNextBeginOffset();
        }
        return found;
    }

    private void lookUpAll() throws Exception {
        MQAdminImpl queries = consumer.getDefaultMQPullConsumerImpl().getRebalanceImpl().getmQClientFactory().getMQAdminImpl();
        int byKey = 0;
        List<Object> missing = new ArrayList<>();
        for (MessageExt message : read) {
            String id = StoredMessage.offsetMsgId(message);
            String topic = message.getTopic();
            if (!id.equals(StoredMessage.offsetMsgId(admin.viewMessage(topic, id)))) {
                missing.add("id " + id);
            }
            if (!holds(queries.queryMessageByUniqKey(topic, message.getMsgId(), MANY, 0, Long.MAX_VALUE).getMessageList(), id)) {
                missing.add("unique key " + message.getMsgId());
            }
            for (String key : keys(message)) {
                byKey++;
                if (!holds(queries.queryMessage(topic, key, MANY, 0, Long.MAX_VALUE).getMessageList(), id)) {
                    missing.add("key " + key + " of " + id);
                }
            }
        }
        Json.print(Json.object("kind", "lookups", "byId", read.size(), "byUniqueKey", read.size(), "byKey", byKey,
            "missing", missing));
    }

    private static boolean holds(List<MessageExt> messages, String offsetMsgId) {
        return messages.stream().anyMatch(message -> StoredMessage.offsetMsgId(message).equals(offsetMsgId));
    }

    private static List<String> keys(MessageExt message) {
        return message.getKeys() == null ? List.of() : Arrays.asList(message.getKeys().trim().split(" +"));
    }
}
