import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.rocketmq.client.QueryResult;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.impl.MQAdminImpl;
import org.apache.rocketmq.tools.admin.DefaultMQAdminExt;

/**
 * Reads lines of a word, a topic and a text, separated by tabs; prints for each the sorted offset ids of the messages that a
 * broker finds. Words: `id` (offset message id), `unique` (UNIQ_KEY), `key`. Argument: name server.
 */
public final class FindMessages {
    // QueryMessageProcessor gives at most so many for a unique key.
    private static final int MANY = 32;

    private final DefaultMQAdminExt admin = new DefaultMQAdminExt();
    private final MQAdminImpl queries;

    private FindMessages(String nameServer) throws MQClientException {
        admin.setNamesrvAddr(nameServer);
        admin.start();
        DefaultMQPullConsumer consumer = new DefaultMQPullConsumer("StoreReaders");
        consumer.setNamesrvAddr(nameServer);
        consumer.start();
        queries = consumer.getDefaultMQPullConsumerImpl().getRebalanceImpl().getmQClientFactory().getMQAdminImpl();
    }

    public static void main(String[] args) {
        // A client's threads keep the JVM alive, whatever becomes of this one.
        try {
            FindMessages finder = new FindMessages(args[0]);
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split("\t");
                Json.print(finder.find(words[0], words[1], words[2]));
            }
            System.exit(0);
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private List<String> find(String word, String topic, String text) throws Exception {
        switch (word) {
            case "id":
                return List.of(StoredMessage.offsetMsgId(admin.viewMessage(topic, text)));
            case "unique":
                return ids(() -> queries.queryMessageByUniqKey(topic, text, MANY, 0, Long.MAX_VALUE));
            default:
                return ids(() -> queries.queryMessage(topic, text, MANY, 0, Long.MAX_VALUE));
        }
    }

    private static List<String> ids(Query query) throws Exception {
        try {
            return query.run().getMessageList().stream().map(StoredMessage::offsetMsgId).sorted().collect(Collectors.toList());
        } catch (MQClientException nothingFound) {
            return List.of();
        }
    }

    private interface Query {
        QueryResult run() throws Exception;
    }
}
