import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.PullResult;
import org.apache.rocketmq.client.consumer.PullStatus;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.tools.admin.DefaultMQAdminExt;

/**
 * Reads topics as a consumer does. Arguments: name server, a tag, topics. Prints a row for each queue with its bounds and the
 * offsets of that tag, and a row for each message.
 */
public final class ReadStore {
    private final DefaultMQPullConsumer consumer = new DefaultMQPullConsumer("StoreReaders");
    private final DefaultMQAdminExt admin = new DefaultMQAdminExt();

    public static void main(String[] args) {
        // A client's threads keep the JVM alive, whatever becomes of this one.
        try {
            new ReadStore().readAll(args[0], args[1], Arrays.asList(args).subList(2, args.length));
            System.exit(0);
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private void readAll(String nameServer, String tag, List<String> topics) throws Exception {
        start(nameServer);
        for (String topic : topics) {
            readTopic(topic, tag);
        }
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
}
