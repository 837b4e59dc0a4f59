import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;

/**
 * Sends messages to a topic that is made for them, then receives them. Arguments: name server, topic, how many. Prints a row for
 * each message sent, with the broker that took it, and one with all bodies received.
 */
public final class SendAndReceive {
    private static final int SECONDS = 40;

    public static void main(String[] args) {
        // A client's threads keep the JVM alive, whatever becomes of this one.
        try {
            int count = Integer.parseInt(args[2]);
            send(args[0], args[1], count);
            Json.print(Json.object("received", new java.util.ArrayList<>(receive(args[0], args[1], count))));
            System.exit(0);
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private static void send(String nameServer, String topic, int count) throws Exception {
        DefaultMQProducer producer = new DefaultMQProducer("Senders-" + topic);
        producer.setNamesrvAddr(nameServer);
        producer.start();
        for (int i = 0; i < count; i++) {
            byte[] body = ("message " + i).getBytes(StandardCharsets.UTF_8);
            SendResult result = producer.send(new Message(topic, body));
            Json.print(Json.object("status", result.getSendStatus(), "broker", result.getMessageQueue().getBrokerName()));
        }
    }

    private static Set<String> receive(String nameServer, String topic, int count) throws Exception {
        Set<String> bodies = new ConcurrentSkipListSet<>();
        CountDownLatch all = new CountDownLatch(count);
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer("Receivers-" + topic);
        consumer.setNamesrvAddr(nameServer);
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.subscribe(topic, "*");
        consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) -> {
            messages.forEach(message -> {
                if (bodies.add(new String(message.getBody(), StandardCharsets.UTF_8))) {
                    all.countDown();
                }
            });
            return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
        });
        consumer.start();
        all.await(SECONDS, TimeUnit.SECONDS);
        return new TreeSet<>(bodies);
    }
}
