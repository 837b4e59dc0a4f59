import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageClientExt;
import org.apache.rocketmq.common.message.MessageExt;

/**
 * Sends delayed messages, and messages whose consumers fail on them; prints every delivery as one JSON object.
 * Arguments: addresses of name server and broker, and how many deliveries to wait for.
 */
public final class RetryAndDelay {
    private static final String TOPIC = "RetryAndDelay";
    private static CountDownLatch expected;

    private RetryAndDelay() {
    }

    public static void main(String[] args) throws Exception {
        // Retry topics come into being late; otherwise a client finds them after 50 seconds.
        System.setProperty("rocketmq.client.rebalance.waitInterval", "500");
        expected = new CountDownLatch(Integer.parseInt(args[2]));
        DefaultMQProducer producer = new DefaultMQProducer("RetryAndDelayProducer");
        producer.setNamesrvAddr(args[0]);
        producer.setPollNameServerInterval(500);
        producer.start();
        // The topics come into being here, so that consumers find them.
        for (String topic : new String[] {"Delayed", "Failing", "Ordered"}) {
            send(producer, topic, "first", 0);
        }
        DefaultMQPushConsumer delayed = consumer(args[0], "Delayed");
        delayed.registerMessageListener((MessageListenerConcurrently) RetryAndDelay::take);
        delayed.start();
        DefaultMQPushConsumer failing = consumer(args[0], "Failing");
        failing.setMaxReconsumeTimes(2);
        failing.registerMessageListener((MessageListenerConcurrently) RetryAndDelay::fail);
        failing.start();
        DefaultMQPushConsumer ordered = consumer(args[0], "Ordered");
        ordered.setMaxReconsumeTimes(1);
        ordered.setSuspendCurrentQueueTimeMillis(100);
        ordered.registerMessageListener((MessageListenerOrderly) (messages, context) -> {
            print("Ordered", messages.get(0));
            return isFirst(messages.get(0))
                ? ConsumeOrderlyStatus.SUCCESS
                : ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT;
        });
        ordered.start();
        Thread.sleep(1000);
        send(producer, "Delayed", "level 1", 1);
        send(producer, "Delayed", "level 2", 2);
        send(producer, "Delayed", "level 99", 99);
        send(producer, "Failing", "always", 0);
        send(producer, "Failing", "once", 0);
        send(producer, "Failing", "soon", 0);
        send(producer, "Failing", "never", 0);
        send(producer, "Ordered", "always", 0);
        sendBackWhatIsNotThere(failing, args[1]);
        boolean all = expected.await(60, TimeUnit.SECONDS);
        // The last failure is printed before the consumer sends its message back.
        Thread.sleep(1000);
        Json.print(Json.object("event", "end", "all", all));
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static DefaultMQPushConsumer consumer(String nameServer, String topic) throws Exception {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(topic + "Group");
        consumer.setNamesrvAddr(nameServer);
        consumer.setPollNameServerInterval(500);
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.subscribe(TOPIC + topic, "TagA");
        return consumer;
    }

    private static void send(DefaultMQProducer producer, String topic, String text, int level) throws Exception {
        Message message = new Message(TOPIC + topic, "TagA", "key of " + text, bytes(text));
        if (level > 0) {
            message.setDelayTimeLevel(level);
        }
        SendResult result = producer.send(message);
        Json.print(Json.object("event", "sent", "topic", topic, "text", text,
            "status", result.getSendStatus().name(), "offsetMsgId", result.getOffsetMsgId(),
            "queueId", result.getMessageQueue().getQueueId()));
    }

    private static ConsumeConcurrentlyStatus take(List<MessageExt> messages, ConsumeConcurrentlyContext context) {
        print("Delayed", messages.get(0));
        return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
    }

    /** What the text of a message asks for. */
    private static ConsumeConcurrentlyStatus fail(List<MessageExt> messages, ConsumeConcurrentlyContext context) {
        MessageExt message = messages.get(0);
        String text = text(message);
        print("Failing", message);
        if (text.equals("never")) {
            context.setDelayLevelWhenNextConsume(-1);
        } else if (text.equals("soon")) {
            context.setDelayLevelWhenNextConsume(1);
        }
        boolean fails = text.equals("always") || !isFirst(message) && message.getReconsumeTimes() == 0;
        return fails ? ConsumeConcurrentlyStatus.RECONSUME_LATER : ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
    }

    private static void sendBackWhatIsNotThere(DefaultMQPushConsumer consumer, String address) throws Exception {
        MessageExt message = new MessageExt();
        message.setTopic(TOPIC + "Failing");
        message.setMsgId("none");
        message.setCommitLogOffset(123456789);
        try {
            consumer.getDefaultMQPushConsumerImpl().getmQClientFactory().getMQClientAPIImpl()
                .consumerSendMessageBack(address, "broker", message, "FailingGroup", 0, 3000, 16);
        } catch (MQBrokerException refused) {
            Json.print(Json.object("event", "refused", "code", refused.getResponseCode(),
                "remark", refused.getErrorMessage()));
        }
    }

    private static void print(String consumer, MessageExt message) {
        Json.print(Json.object("event", "delivered", "consumer", consumer, "text", text(message),
            "topic", message.getTopic(), "times", message.getReconsumeTimes(),
            "afterMillis", System.currentTimeMillis() - message.getBornTimestamp(),
            "storeSize", message.getStoreSize(), "tags", message.getTags(), "keys", message.getKeys(),
            "offsetMsgId", ((MessageClientExt) message).getOffsetMsgId(),
            "properties", new TreeMap<>(message.getProperties())));
        expected.countDown();
    }

    private static boolean isFirst(MessageExt message) {
        return text(message).equals("first");
    }

    private static String text(MessageExt message) {
        return new String(message.getBody(), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
