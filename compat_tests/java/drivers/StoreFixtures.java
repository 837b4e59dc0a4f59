import java.lang.reflect.Method;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.tools.admin.DefaultMQAdminExt;

/** Topics and groups for a store to be filled, and how far its queues are. */
final class StoreFixtures {
    private static final long WAIT_MILLIS = 20_000;

    private final DefaultMQAdminExt admin = new DefaultMQAdminExt();
    private final String broker;

    StoreFixtures(String nameServer, String broker) throws MQClientException {
        this.broker = broker;
        admin.setNamesrvAddr(nameServer);
        admin.start();
    }

    /** Make a topic unless it is there, and wait until the producer may send to it. */
    void topic(String name, int queues, DefaultMQProducer producer) throws Exception {
        TopicConfig config = new TopicConfig(name);
        config.setReadQueueNums(queues);
        config.setWriteQueueNums(queues);
        admin.createAndUpdateTopicConfig(broker, config);
        waitUntil(() -> queuesKnown(producer, name) == queues, "route of " + name);
    }

    private static int queuesKnown(DefaultMQProducer producer, String topic) {
        try {
            return producer.fetchPublishMessageQueues(topic).size();
        } catch (MQClientException notYet) {
            return 0;
        }
    }

    /** Make a consumer group; its settings class lives in another package in each release. */
    void group(String name, int retryMaxTimes) throws Exception {
        for (Method method : DefaultMQAdminExt.class.getMethods()) {
            if (method.getName().equals("createAndUpdateSubscriptionGroupConfig")) {
                Object config = method.getParameterTypes()[1].getDeclaredConstructor().newInstance();
                config.getClass().getMethod("setGroupName", String.class).invoke(config, name);
                config.getClass().getMethod("setRetryMaxTimes", int.class).invoke(config, retryMaxTimes);
                method.invoke(admin, broker, config);
            }
        }
    }

    /** How many messages a topic's queues have ever had; 0 for a topic that is not there. */
    long size(String topic) {
        try {
            long size = 0;
            for (MessageQueue queue : queues(topic).keySet()) {
                size += admin.maxOffset(queue);
            }
            return size;
        } catch (Exception notThere) {
            return 0;
        }
    }

    Map<MessageQueue, ?> queues(String topic) throws Exception {
        return admin.examineTopicStats(topic).getOffsetTable();
    }

    void waitForSize(String topic, long size) throws Exception {
        waitUntil(() -> size(topic) >= size, size + " messages in " + topic);
    }

    static void waitUntil(BooleanSupplier done, String what) throws Exception {
        long deadline = System.currentTimeMillis() + WAIT_MILLIS;
        while (!done.getAsBoolean()) {
            if (System.currentTimeMillis() > deadline) {
                throw new IllegalStateException("waited in vain for " + what);
            }
            Thread.sleep(50);
        }
    }
}
