import java.nio.charset.StandardCharsets;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * A producer and a push consumer that stay until they are killed, given name server, topic, the suffix of both
 * groups and the broker's name. A line on stdin is sent to the first queue, or says to commit offsets; each message
 * consumed is a line on stdout.
 */
public final class Idle {
    public static void main(String[] args) throws Exception {
        String nameServer = args[0];
        String topic = args[1];
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer("CG_" + args[2]);
        consumer.setNamesrvAddr(nameServer);
        consumer.setClientIP("192.0.2.9");
        consumer.setInstanceName("idle-consumer");
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.subscribe(topic, "TagA || TagB");
        consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) -> {
            messages.forEach(message -> say("got " + new String(message.getBody(), StandardCharsets.UTF_8)));
            return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
        });
        DefaultMQProducer producer = new DefaultMQProducer("PG_" + args[2]);
        producer.setNamesrvAddr(nameServer);
        producer.setClientIP("192.0.2.9");
        producer.setInstanceName("idle-producer");
        producer.start();
        consumer.start();
        say("started");
        java.util.Scanner lines = new java.util.Scanner(System.in);
        while (lines.hasNextLine()) {
            String body = lines.nextLine();
            if (body.equals("commit")) {
                Thread.sleep(200); // an offset moves on after its message's listener has returned
                consumer.getDefaultMQPushConsumerImpl().persistConsumerOffset();
                say("committed");
                continue;
            }
            Message message = new Message(topic, "TagA", "key-" + body, body.getBytes(StandardCharsets.UTF_8));
            SendResult sent = producer.send(message, new MessageQueue(topic, args[3], 0));
            say("sent " + sent.getOffsetMsgId() + " " + sent.getMsgId());
        }
    }

    private static synchronized void say(String line) {
        System.out.println(line);
    }
}
