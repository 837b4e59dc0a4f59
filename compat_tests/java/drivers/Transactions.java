import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.producer.LocalTransactionState;
import org.apache.rocketmq.client.producer.TransactionListener;
import org.apache.rocketmq.client.producer.TransactionMQProducer;
import org.apache.rocketmq.client.producer.TransactionSendResult;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;

/**
 * Sends the half messages named by its arguments, and prints each check and delivery as one JSON object.
 *
 * A message's text says what becomes of it: `commit`, `rollback`, `later commit`, `later rollback` (known when the
 * broker asks), `never` (never known); `delayed` is no half, but a message of delay level 3. Arguments: name server,
 * different events to wait for, texts.
 */
public final class Transactions implements TransactionListener {
    private static final String TOPIC = "Transactions";

    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    private final CountDownLatch expected;

    private Transactions(int events) {
        expected = new CountDownLatch(events);
    }

    public static void main(String[] args) throws Exception {
        // A client that comes too early for its topic or its group looks again soon, not after 20 seconds.
        System.setProperty("rocketmq.client.rebalance.waitInterval", "500");
        Transactions listener = new Transactions(Integer.parseInt(args[1]));
        TransactionMQProducer producer = new TransactionMQProducer("TransactionsProducer");
        producer.setNamesrvAddr(args[0]);
        producer.setTransactionListener(listener);
        producer.start();
        // The topic comes into being here, so that the consumer finds it; and the broker gets to know the producer.
        producer.send(new Message(TOPIC, "Plain", bytes("plain")));
        producer.getDefaultMQProducerImpl().getMqClientFactory().sendHeartbeatToAllBrokerWithLock();
        listener.consume(args[0]);
        for (int i = 2; i < args.length; i++) {
            Message message = new Message(TOPIC, "TagA", "key", bytes(args[i]));
            if (args[i].equals("delayed")) {
                message.setDelayTimeLevel(3);
                producer.send(message);
                continue;
            }
            TransactionSendResult result = producer.sendMessageInTransaction(message, null);
            Json.print(Json.object("event", "sent", "text", args[i], "status", result.getSendStatus().name(),
                "state", result.getLocalTransactionState().name(),
                "hasTransactionId", result.getTransactionId().equals(result.getMsgId()),
                "queueId", result.getMessageQueue().getQueueId()));
        }
        boolean all = listener.expected.await(60, TimeUnit.SECONDS);
        // A check is printed before its answer leaves.
        Thread.sleep(500);
        Json.print(Json.object("event", "end", "all", all));
        System.out.flush();
        // As a producer that dies: without a farewell.
        Runtime.getRuntime().halt(0);
    }

    private void consume(String nameServer) throws Exception {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer("TransactionsGroup");
        consumer.setNamesrvAddr(nameServer);
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.subscribe(TOPIC, "TagA");
        consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) -> {
            for (MessageExt message : messages) {
                tell("delivered", message);
            }
            return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
        });
        consumer.start();
    }

    @Override
    public LocalTransactionState executeLocalTransaction(Message message, Object argument) {
        switch (text(message)) {
            case "commit":
                return LocalTransactionState.COMMIT_MESSAGE;
            case "rollback":
                return LocalTransactionState.ROLLBACK_MESSAGE;
            default:
                return LocalTransactionState.UNKNOW;
        }
    }

    @Override
    public LocalTransactionState checkLocalTransaction(MessageExt message) {
        tell("checked", message);
        switch (text(message)) {
            case "later commit":
                return LocalTransactionState.COMMIT_MESSAGE;
            case "later rollback":
                return LocalTransactionState.ROLLBACK_MESSAGE;
            default:
                return LocalTransactionState.UNKNOW;
        }
    }

    private void tell(String event, MessageExt message) {
        Json.print(Json.object("event", event, "text", text(message), "topic", message.getTopic(),
            "queueId", message.getQueueId(), "tags", message.getTags(),
            "transactionId", String.valueOf(message.getTransactionId()).equals(message.getProperty("UNIQ_KEY")),
            "properties", new TreeMap<>(message.getProperties())));
        // A broker may ask again before it has seen the answer.
        if (seen.add(event + " " + text(message))) {
            expected.countDown();
        }
    }

    private static String text(Message message) {
        return new String(message.getBody(), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
