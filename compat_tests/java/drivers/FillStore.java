import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.LocalTransactionState;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.TransactionListener;
import org.apache.rocketmq.client.producer.TransactionMQProducer;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageClientIDSetter;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * Sends messages and prints a row for each that was acknowledged. Arguments: name server, broker, and what to send: `all` and a
 * number (so many plain ones, and fewer of every other kind), `plain` and a number, or `endless` (plain ones until it cannot).
 */
public final class FillStore {
    private static final String[] TAGS = {"TagA", "TagB", "\u6807\u7b7e", null};
    private static final String GROUP = "Shoppers";

    private final Random random = new Random(20260601);
    private final String nameServer;
    private final StoreFixtures fixtures;
    private final DefaultMQProducer producer;
    private int sent;

    private FillStore(String nameServer, String broker) throws Exception {
        this.nameServer = nameServer;
        fixtures = new StoreFixtures(nameServer, broker);
        producer = producer("ZLIB");
    }

    public static void main(String[] args) {
        // A client's threads keep the JVM alive, whatever becomes of this one.
        try {
            FillStore store = new FillStore(args[0], args[1]);
            switch (args[2]) {
                case "all":
                    store.sendAllKinds(Integer.parseInt(args[3]));
                    break;
                case "plain":
                    store.sendPlain(Integer.parseInt(args[3]));
                    break;
                default:
                    store.sendUntilRefused();
            }
            System.exit(0);
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private void sendAllKinds(int plain) throws Exception {
        sendDelayed();
        sendTransactions();
        sendPlain(plain);
        sendBatches(plain / 40);
        for (String compression : Arrays.asList("ZLIB", "LZ4", "ZSTD", "none")) {
            sendBig(compression, plain / 40);
        }
        sendOneway(plain / 20);
        sendTimed(plain / 100);
        consume();
    }

    private void sendUntilRefused() throws Exception {
        fixtures.topic("Plain", 4, producer);
        producer.setRetryTimesWhenSendFailed(0);
        while (true) {
            Message message = message("Plain", 1 + random.nextInt(1500));
            try {
                acknowledge("plain", message, producer.send(message));
            } catch (Exception brokerIsGone) {
                return;
            }
        }
    }

    private void sendPlain(int count) throws Exception {
        fixtures.topic("Plain", 4, producer);
        for (int i = 0; i < count; i++) {
            Message message = message("Plain", 1 + random.nextInt(i % 10 == 0 ? 4000 : 400));
            message.setWaitStoreMsgOK(i % 3 != 0);
            acknowledge("plain", message, producer.send(message));
        }
    }

    private void sendBatches(int count) throws Exception {
        fixtures.topic("Batch", 2, producer);
        for (int i = 0; i < count; i++) {
            List<Message> batch = new ArrayList<>();
            for (int size = 1 + random.nextInt(30); size > 0; size--) {
                batch.add(message("Batch", 1 + random.nextInt(300)));
            }
            SendResult result = producer.send(batch);
            String[] offsetIds = result.getOffsetMsgId().split(",");
            String[] uniqueIds = result.getMsgId().split(",");
            for (int n = 0; n < offsetIds.length; n++) {
                row("batch", batch.get(n), result.getMessageQueue().getQueueId(), result.getQueueOffset() + n, uniqueIds[n],
                    offsetIds[n]);
            }
        }
    }

    /** Bodies of more than 4 KiB are packed by the client; 4.9 knows only zlib. */
    private void sendBig(String compression, int count) throws Exception {
        DefaultMQProducer own = producer(compression);
        fixtures.topic("Big", 3, own);
        for (int i = 0; i < count; i++) {
            Message message = message("Big", 4097 + random.nextInt(40_000));
            acknowledge("big", message, own.send(message));
        }
    }

    private void sendOneway(int count) throws Exception {
        fixtures.topic("Oneway", 1, producer);
        long before = fixtures.size("Oneway");
        for (int i = 0; i < count; i++) {
            Message message = message("Oneway", 100);
            producer.sendOneway(message);
            row("oneway", message, null, null, MessageClientIDSetter.getUniqID(message), null);
        }
        fixtures.waitForSize("Oneway", before + count);
    }

    private void sendDelayed() throws Exception {
        fixtures.topic("Delayed", 2, producer);
        long before = fixtures.size("Delayed");
        for (int level : new int[] {1, 1, 1, 1, 1, 17, 18, 18}) {
            Message message = message("Delayed", 200);
            message.setDelayTimeLevel(level);
            acknowledge(level == 1 ? "delayed" : "waiting", message, producer.send(message));
        }
        fixtures.waitForSize("Delayed", before + 5);
    }

    /** 5.5 puts these on its timer wheel; 4.9 does not know the property. */
    private void sendTimed(int count) throws Exception {
        fixtures.topic("Timed", 1, producer);
        for (int i = 0; i < count; i++) {
            Message message = message("Timed", 200);
            MessageAccessor.putProperty(message, "TIMER_DELAY_SEC", "7200");
            acknowledge("timed", message, producer.send(message));
        }
    }

    private void sendTransactions() throws Exception {
        TransactionMQProducer own = new TransactionMQProducer("Transactors");
        own.setTransactionListener(new Decisions());
        own.setNamesrvAddr(nameServer);
        own.start();
        fixtures.topic("Transactional", 2, own);
        long before = fixtures.size("Transactional");
        LocalTransactionState[] decisions = LocalTransactionState.values();
        for (int i = 0; i < 10 * decisions.length; i++) {
            Message message = message("Transactional", 300);
            LocalTransactionState decision = decisions[i % decisions.length];
            acknowledge(decision.name(), message, own.sendMessageInTransaction(message, decision));
        }
        fixtures.waitForSize("Transactional", before + 10);
    }

    /** What a consumer leaves behind: offsets, messages to retry, dead letters. */
    private void consume() throws Exception {
        fixtures.group(GROUP, 7);
        long retried = fixtures.size("%RETRY%" + GROUP);
        DefaultMQPullConsumer consumer = new DefaultMQPullConsumer(GROUP);
        consumer.setNamesrvAddr(nameServer);
        consumer.start();
        for (MessageQueue queue : consumer.fetchSubscribeMessageQueues("Plain")) {
            long offset = consumer.maxOffset(queue) - 3;
            consumer.getDefaultMQPullConsumerImpl().getOffsetStore().updateConsumeOffsetToBroker(queue, offset, false);
            Json.print(Json.object("kind", "consumed", "group", GROUP, "topic", "Plain", "queueId", queue.getQueueId(),
                "offset", offset));
            for (MessageExt message : consumer.pull(queue, "*", offset, 2).getMsgFoundList()) {
                consumer.sendMessageBack(message, 1, queue.getBrokerName(), GROUP);
                consumer.sendMessageBack(message, -1, queue.getBrokerName(), GROUP);
                row("returned", message, message.getQueueId(), message.getQueueOffset(), message.getMsgId(),
                    StoredMessage.offsetMsgId(message));
            }
        }
        fixtures.waitForSize("%RETRY%" + GROUP, retried + 8);
    }

    /** A body of about this size, now and then a tag, keys and properties, in several alphabets. */
    private Message message(String topic, int size) {
        int number = ++sent;
        byte[] body = new byte[size];
        random.nextBytes(body);
        // Half of each body can be packed.
        Arrays.fill(body, 0, size / 2, (byte) 'x');
        byte[] greeting = ("gr\u00fc\u00dfe \u4e16\u754c \ud83d\ude80 " + number).getBytes(StandardCharsets.UTF_8);
        System.arraycopy(greeting, 0, body, 0, Math.min(greeting.length, size));
        Message message = new Message(topic, body);
        message.setFlag(number % 7);
        // Not in step with the queues, which take turns.
        String tag = TAGS[number / TAGS.length % TAGS.length];
        if (tag != null) {
            message.setTags(tag);
        }
        if (number % 5 != 0) {
            message.setKeys(Arrays.asList("order-" + number, "\u0437\u0430\u043a\u0430\u0437-" + number / 10));
        }
        if (number % 2 == 0) {
            message.putUserProperty("shop", "\u30c6\u30b9\u30c8 " + number);
        }
        return message;
    }

    private DefaultMQProducer producer(String compression) throws Exception {
        System.setProperty("rocketmq.message.compressType", compression.equals("none") ? "ZLIB" : compression);
        DefaultMQProducer made = new DefaultMQProducer("Senders-" + compression + sent);
        made.setNamesrvAddr(nameServer);
        if (compression.equals("none")) {
            made.setCompressMsgBodyOverHowmuch(Integer.MAX_VALUE);
        }
        made.start();
        return made;
    }

    private static void acknowledge(String kind, Message message, SendResult result) {
        row(kind, message, result.getMessageQueue().getQueueId(), result.getQueueOffset(), result.getMsgId(),
            result.getOffsetMsgId());
    }

    private static void row(String kind, Message message, Integer queueId, Long queueOffset, String msgId, String offsetMsgId) {
        Map<String, Object> row = Json.object("kind", kind, "topic", message.getTopic(), "queueId", queueId,
            "queueOffset", queueOffset, "msgId", msgId, "offsetMsgId", offsetMsgId, "keys", message.getKeys(),
            "tags", message.getTags(), "flag", message.getFlag(), "sha256", StoredMessage.sha256(message.getBody()));
        Json.print(row);
    }

    /** Decides as the argument of each send says; what stays unknown is never decided. */
    private static final class Decisions implements TransactionListener {
        @Override
        public LocalTransactionState executeLocalTransaction(Message message, Object decision) {
            return (LocalTransactionState) decision;
        }

        @Override
        public LocalTransactionState checkLocalTransaction(MessageExt message) {
            return LocalTransactionState.UNKNOW;
        }
    }
}
