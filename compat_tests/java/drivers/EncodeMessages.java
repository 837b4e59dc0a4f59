import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.rocketmq.client.AccessChannel;
import org.apache.rocketmq.client.producer.LocalTransactionState;
import org.apache.rocketmq.client.trace.TraceBean;
import org.apache.rocketmq.client.trace.TraceContext;
import org.apache.rocketmq.client.trace.TraceDataEncoder;
import org.apache.rocketmq.client.trace.TraceTransferBean;
import org.apache.rocketmq.client.trace.TraceType;
import org.apache.rocketmq.common.KeyBuilder;
import org.apache.rocketmq.common.UtilAll;
import org.apache.rocketmq.common.compression.CompressionType;
import org.apache.rocketmq.common.compression.CompressorFactory;
import org.apache.rocketmq.common.consumer.ReceiptHandle;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageClientIDSetter;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageExtBrokerInner;
import org.apache.rocketmq.common.message.MessageType;
import org.apache.rocketmq.common.message.MessageVersion;
import org.apache.rocketmq.common.sysflag.MessageSysFlag;
import org.apache.rocketmq.common.sysflag.PullSysFlag;
import org.apache.rocketmq.common.sysflag.SubscriptionSysFlag;
import org.apache.rocketmq.common.sysflag.TopicSysFlag;
import org.apache.rocketmq.common.utils.MessageUtils;
import org.apache.rocketmq.remoting.protocol.header.ExtraInfoUtil;
import org.apache.rocketmq.store.CommitLog;
import org.apache.rocketmq.store.MessageExtEncoder;
import org.apache.rocketmq.store.config.MessageStoreConfig;
import org.apache.rocketmq.store.index.IndexFile;
import org.apache.rocketmq.store.index.IndexService;
import sun.misc.Unsafe;

/**
 * Arguments: seed, rounds. Prints, one JSON object a line, random messages and what Java makes of them: records, batches,
 * properties, ids, compressed bodies, hashes, trace and pop strings. `kind` tells which.
 */
public final class EncodeMessages {
    private static final int[] ODD_INTS = {0, 1, -1, 127, 128, 32767, 32768, Integer.MAX_VALUE, Integer.MIN_VALUE};
    private static final long[] ODD_LONGS = {0, 1, -1, 1L << 32, 1700000000000L, Long.MAX_VALUE, Long.MIN_VALUE};

    private final Random random;
    private final RandomText text;

    private EncodeMessages(long seed) {
        random = new Random(seed);
        text = new RandomText(random);
    }

    public static void main(String[] args) throws Exception {
        EncodeMessages driver = new EncodeMessages(Long.parseLong(args[0]));
        constants();
        for (int round = 0; round < Integer.parseInt(args[1]); round++) {
            driver.properties();
            driver.recordOfDecoder();
            driver.recordOfStore(false);
            driver.recordOfStore(true);
            driver.batch();
            driver.ids();
            driver.hashes();
            driver.trace();
            driver.popStrings();
            for (CompressionType type : CompressionType.values()) {
                driver.compressed(type);
            }
        }
        System.exit(0); // The store's classes have started threads.
    }

    private static void constants() throws IllegalAccessException {
        Map<String, Object> classes = new LinkedHashMap<>();
        for (Class<?> type : Arrays.asList(MessageConst.class, MessageSysFlag.class, PullSysFlag.class,
            TopicSysFlag.class, SubscriptionSysFlag.class)) {
            Map<String, Object> values = new TreeMap<>();
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) && field.getType() != java.util.HashSet.class) {
                    field.setAccessible(true);
                    values.put(field.getName(), field.get(null));
                }
            }
            classes.put(type.getSimpleName(), values);
        }
        List<String> reserved = new ArrayList<>(new TreeSet<>(MessageConst.STRING_HASH_SET));
        Json.print(Json.object("kind", "constants", "classes", classes, "reserved", reserved));
    }

    private void properties() {
        Map<String, String> put = randomProperties(60);
        Map<String, String> byHand = new HashMap<>();
        put.forEach(byHand::put);
        String written = MessageDecoder.messageProperties2String(byHand);
        String odd = mangled(written);
        Map<String, String> parsed = MessageDecoder.string2messageProperties(odd);
        String name = "a";
        for (String each : put.keySet()) {
            if (each.indexOf(1) < 0 && each.indexOf(2) < 0 && random.nextInt(3) == 0) {
                name = each;
            }
        }
        Json.print(Json.object("kind", "properties", "put", put, "text", written, "odd", odd, "parsed", parsed,
            "rewritten", MessageDecoder.messageProperties2String(parsed),
            "name", name, "deleted", MessageUtils.deleteProperty(odd, name)));
    }

    private void recordOfDecoder() throws Exception {
        MessageExt message = fill(new MessageExt());
        Map<String, String> put = randomProperties(20);
        MessageAccessor.setProperties(message, parsedMap(put));
        message.setCommitLogOffset(number64());
        message.setQueueOffset(number64());
        byte[] record = MessageDecoder.encode(message, false);
        printRecord("decoder", message, MessageVersion.MESSAGE_VERSION_V1, put, null, record);
    }

    /** A record as the store writes it, with the last steps of CommitLog's append. */
    private void recordOfStore(boolean withCrc) throws Exception {
        MessageStoreConfig config = new MessageStoreConfig();
        config.setMaxMessageSize(65536);
        config.setEnabledAppendPropCRC(withCrc);
        MessageExtBrokerInner message = (MessageExtBrokerInner) fill(new MessageExtBrokerInner());
        MessageVersion version = MessageVersion.values()[random.nextInt(2)];
        if (version == MessageVersion.MESSAGE_VERSION_V2) {
            message.setTopic(topic(random.nextInt(300)));
        }
        message.setVersion(version);
        String properties = MessageDecoder.messageProperties2String(randomProperties(20));
        if (random.nextBoolean() && !properties.isEmpty()) {
            properties = properties.substring(0, properties.length() - 1);
        }
        message.setPropertiesString(properties);
        message.setQueueOffset(number64());
        message.setCommitLogOffset(number64());
        MessageExtEncoder encoder = new MessageExtEncoder(config);
        if (encoder.encode(message) != null) {
            throw new IllegalStateException("refused");
        }
        ByteBuffer buffer = encoder.getEncoderBuffer();
        int size = buffer.getInt(0);
        buffer.putLong(MessageDecoder.MESSAGE_PHYSIC_OFFSET_POSITION, message.getCommitLogOffset());
        if (withCrc) {
            ByteBuffer checked = buffer.duplicate();
            checked.position(0).limit(size - CommitLog.CRC32_RESERVED_LEN);
            int crc = UtilAll.crc32(checked);
            ByteBuffer tail = buffer.duplicate();
            tail.position(size - CommitLog.CRC32_RESERVED_LEN).limit(size);
            MessageDecoder.createCrc32(tail, crc);
        }
        byte[] record = new byte[size];
        buffer.duplicate().get(record);
        printRecord(withCrc ? "store-crc" : "store", message, version, null, properties, record);
    }

    private MessageExt fill(MessageExt message) throws Exception {
        message.setTopic(topic(random.nextInt(128)));
        message.setFlag(number());
        message.setBody(body(200));
        message.setBodyCRC(UtilAll.crc32(message.getBody()));
        message.setQueueId(number());
        message.setBornTimestamp(number64());
        message.setStoreTimestamp(number64());
        message.setBornHost(host());
        message.setStoreHost(host());
        message.setReconsumeTimes(number());
        message.setPreparedTransactionOffset(number64());
        int hostFlags = MessageSysFlag.BORNHOST_V6_FLAG | MessageSysFlag.STOREHOSTADDRESS_V6_FLAG;
        message.setSysFlag(number() & ~hostFlags);
        if (message.getBornHostBytes().limit() == 20) {
            message.setBornHostV6Flag();
        }
        if (message.getStoreHostBytes().limit() == 20) {
            message.setStoreHostAddressV6Flag();
        }
        return message;
    }

    private static void printRecord(String by, MessageExt message, MessageVersion version, Map<String, String> put,
        String properties, byte[] record) {
        Json.print(Json.object("kind", "record", "by", by, "topic", message.getTopic(), "flag", message.getFlag(),
            "body", Hex.of(message.getBody()), "body_crc", message.getBodyCRC(), "queue_id", message.getQueueId(),
            "queue_offset", message.getQueueOffset(), "commit_log_offset", message.getCommitLogOffset(),
            "sys_flag", message.getSysFlag(), "born_timestamp", message.getBornTimestamp(),
            "born_host", hostText(message.getBornHost()), "store_timestamp", message.getStoreTimestamp(),
            "store_host", hostText(message.getStoreHost()), "reconsume_times", message.getReconsumeTimes(),
            "prepared_transaction_offset", message.getPreparedTransactionOffset(),
            "version", version == MessageVersion.MESSAGE_VERSION_V1 ? 1 : 2, "put", put, "properties", properties,
            "offset_msg_id", MessageDecoder.createMessageId(message.getStoreHost(), message.getCommitLogOffset()),
            "record", Hex.of(record)));
    }

    private void batch() {
        List<Message> messages = new ArrayList<>();
        List<Object> shown = new ArrayList<>();
        int count = random.nextInt(6);
        for (int i = 0; i < count; i++) {
            String tags = random.nextBoolean() ? "" : "tag" + random.nextInt(100);
            String keys = random.nextBoolean() ? "" : "key" + random.nextInt(100) + " k" + i;
            boolean wait = random.nextInt(4) != 0;
            Message message = new Message("batch-topic", tags, keys, number(), body(100), wait);
            Map<String, String> put = new LinkedHashMap<>();
            for (int j = random.nextInt(20); j > 0; j--) {
                put.put("user-" + random.nextInt(1000), "\u503c" + random.nextInt());
            }
            put.forEach(message::putUserProperty);
            messages.add(message);
            shown.add(Json.object("tags", tags, "keys", keys, "flag", message.getFlag(), "wait", wait,
                "body", Hex.of(message.getBody()), "properties", put));
        }
        Json.print(Json.object("kind", "batch", "messages", shown,
            "body", Hex.of(MessageDecoder.encodeMessages(messages))));
    }

    private void ids() throws Exception {
        InetSocketAddress host = host();
        long offset = number64();
        Json.print(Json.object("kind", "offset_id", "host", hostText(host), "offset", offset,
            "id", MessageDecoder.createMessageId(host, offset)));
        String fresh = MessageClientIDSetter.createUniqID();
        Thread.sleep(2); // The guess at its time depends on whether this millisecond is over.
        printUniqueId(fresh);
        byte[] any = new byte[random.nextBoolean() ? 16 : 28];
        random.nextBytes(any);
        printUniqueId(UtilAll.bytes2string(any));
    }

    private static void printUniqueId(String id) throws Exception {
        Json.print(Json.object("kind", "unique_id", "id", id,
            "ip", InetAddress.getByAddress(MessageClientIDSetter.getIPFromID(id)).getHostAddress(),
            "pid", MessageClientIDSetter.getPidFromID(id), "zone", TimeZone.getDefault().getID(),
            "now", System.currentTimeMillis(), "born_at", MessageClientIDSetter.getNearlyTimeFromID(id).getTime()));
    }

    private void hashes() throws Exception {
        // "polygenelubricants" is the well-known word whose hash is Integer.MIN_VALUE.
        String word = random.nextInt(10) == 0 ? "polygenelubricants" : text.next();
        String topic = text.next();
        IndexService service = bare(IndexService.class);
        Method buildKey = IndexService.class.getDeclaredMethod("buildKey", String.class, String.class);
        Method buildTyped = IndexService.class.getDeclaredMethod("buildKey", String.class, String.class, String.class);
        buildKey.setAccessible(true);
        buildTyped.setAccessible(true);
        String tagKey = (String) buildTyped.invoke(service, topic, word, MessageConst.INDEX_TAG_TYPE);
        byte[] bytes = body(300);
        Json.print(Json.object("kind", "hash", "word", word, "topic", topic,
            "tag_hash", MessageExtBrokerInner.tagsString2tagsCode(word),
            "index_key", buildKey.invoke(service, topic, word), "tag_index_key", tagKey,
            "index_hash", bare(IndexFile.class).indexKeyHashMethod(word),
            "bytes", Hex.of(bytes), "crc", UtilAll.crc32(bytes)));
    }

    private void trace() {
        for (TraceType type : TraceType.values()) {
            AccessChannel channel = AccessChannel.values()[random.nextInt(AccessChannel.values().length)];
            TraceContext context = new TraceContext();
            context.setTraceType(type);
            context.setAccessChannel(channel);
            context.setTimeStamp(number64());
            context.setRegionId(word());
            context.setGroupName(word());
            context.setCostTime(number());
            context.setSuccess(random.nextBoolean());
            context.setRequestId(word());
            context.setContextCode(number());
            TraceBean bean = new TraceBean();
            bean.setTopic(word());
            bean.setMsgId(word());
            bean.setTags(random.nextInt(3) == 0 ? null : word());
            bean.setKeys(word() + " " + word());
            bean.setStoreHost(word());
            bean.setBodyLength(number());
            bean.setRetryTimes(number());
            bean.setMsgType(MessageType.values()[random.nextInt(MessageType.values().length)]);
            bean.setOffsetMsgId(word());
            bean.setTransactionId(word());
            bean.setTransactionState(LocalTransactionState.values()[random.nextInt(3)]);
            bean.setFromTransactionCheck(random.nextBoolean());
            context.setTraceBeans(new ArrayList<>(List.of(bean)));
            TraceTransferBean data = TraceDataEncoder.encoderFromContextBean(context);
            Json.print(Json.object("kind", "trace", "type", type.name(), "cloud", channel == AccessChannel.CLOUD,
                "timestamp", context.getTimeStamp(), "region_id", context.getRegionId(),
                "group", context.getGroupName(), "cost_time", context.getCostTime(), "success", context.isSuccess(),
                "request_id", context.getRequestId(), "context_code", context.getContextCode(),
                "topic", bean.getTopic(), "msg_id", bean.getMsgId(), "tags", bean.getTags(), "keys", bean.getKeys(),
                "store_host", bean.getStoreHost(), "body_length", bean.getBodyLength(),
                "retry_times", bean.getRetryTimes(), "message_type", bean.getMsgType().ordinal(),
                "offset_msg_id", bean.getOffsetMsgId(), "transaction_id", bean.getTransactionId(),
                "transaction_state", bean.getTransactionState().name(),
                "from_transaction_check", bean.isFromTransactionCheck(),
                "text", data.getTransData(), "trace_keys", new ArrayList<>(data.getTransKey())));
        }
    }

    private void popStrings() {
        String group = "group-" + random.nextInt(100);
        String normal = "topic" + random.nextInt(100);
        String v1 = KeyBuilder.buildPopRetryTopicV1(normal, group);
        String v2 = KeyBuilder.buildPopRetryTopicV2(normal, group);
        String topic = Arrays.asList(normal, v1, v2).get(random.nextInt(3));
        long start = random.nextInt(1000);
        long popTime = Math.abs(random.nextLong());
        long invisible = random.nextInt(100000);
        int revive = random.nextBoolean() ? KeyBuilder.POP_ORDER_REVIVE_QUEUE : random.nextInt(8);
        int queue = random.nextInt(16);
        long offset = number64();
        String seven = ExtraInfoUtil.buildExtraInfo(start, popTime, invisible, revive, topic, "broker-a", queue);
        String eight = ExtraInfoUtil.buildExtraInfo(start, popTime, invisible, revive, topic, "broker-a", queue, offset);
        String nine = ReceiptHandle.decode(eight + " " + start).encode();
        StringBuilder starts = new StringBuilder();
        StringBuilder offsets = new StringBuilder();
        StringBuilder counts = new StringBuilder();
        for (String each : Arrays.asList(normal, v1, v2)) {
            ExtraInfoUtil.buildStartOffsetInfo(starts, each, queue, start);
            ExtraInfoUtil.buildMsgOffsetInfo(offsets, each, queue, Arrays.asList(start, start + 1, offset));
            ExtraInfoUtil.buildQueueOffsetOrderCountInfo(counts, each, queue, offset, queue + 1);
            ExtraInfoUtil.buildQueueIdOrderCountInfo(counts, each, queue, queue);
        }
        String[] words = ExtraInfoUtil.split(eight);
        Json.print(Json.object("kind", "pop", "group", group, "normal", normal, "v1", v1, "v2", v2, "topic", topic,
            "start", start, "pop_time", popTime, "invisible", invisible, "revive", revive, "queue", queue,
            "offset", offset, "handles", Arrays.asList(seven, eight, nine), "order", ExtraInfoUtil.isOrder(words),
            "real_topic", ExtraInfoUtil.getRealTopic(words, normal, group),
            "normal_topic", KeyBuilder.parseNormalTopic(topic, group),
            "starts", starts.toString(), "offsets", offsets.toString(), "counts", counts.toString()));
    }

    private void compressed(CompressionType type) throws Exception {
        StringBuilder plain = new StringBuilder();
        for (int pieces = random.nextInt(400); pieces > 0; pieces--) {
            plain.append(random.nextInt(3) == 0 ? "again and again " : text.next());
        }
        byte[] bytes = plain.toString().getBytes("UTF-8");
        Json.print(Json.object("kind", "compressed", "type", type.name(),
            "sys_flag", type.getCompressionFlag() | MessageSysFlag.COMPRESSED_FLAG, "plain", Hex.of(bytes),
            "packed", Hex.of(CompressorFactory.getCompressor(type).compress(bytes, 5))));
    }

    /** An instance whose constructor did not run: these two would create files. */
    private static <T> T bare(Class<T> type) throws Exception {
        Field field = Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        return type.cast(((Unsafe) field.get(null)).allocateInstance(type));
    }

    /** The map a reader of 5.x would have made of these properties. */
    private static Map<String, String> parsedMap(Map<String, String> put) {
        Map<String, String> result = MessageDecoder.string2messageProperties("");
        put.forEach(result::put);
        return result;
    }

    private Map<String, String> randomProperties(int atMost) {
        Map<String, String> result = new LinkedHashMap<>();
        List<String> names = new ArrayList<>(new TreeSet<>(MessageConst.STRING_HASH_SET));
        for (int i = random.nextInt(atMost); i > 0; i--) {
            String name = random.nextBoolean() ? names.get(random.nextInt(names.size())) : "user" + text.next();
            result.put(name, random.nextBoolean() ? word() : text.next());
        }
        return result;
    }

    /** Properties text with a piece cut out, repeated or put elsewhere. */
    private String mangled(String properties) {
        if (properties.isEmpty() || random.nextInt(3) == 0) {
            return properties;
        }
        int from = random.nextInt(properties.length());
        int to = from + random.nextInt(properties.length() - from);
        String piece = properties.substring(from, to);
        return random.nextBoolean()
            ? properties.substring(0, from) + properties.substring(to) : properties + piece + piece;
    }

    private String topic(int length) {
        StringBuilder result = new StringBuilder("%RETRY%");
        while (result.length() < length) {
            result.append(word());
        }
        return result.substring(0, length);
    }

    private String word() {
        return Integer.toString(Math.abs(random.nextInt()), 36);
    }

    private InetSocketAddress host() throws Exception {
        byte[] address = new byte[random.nextInt(3) == 0 ? 16 : 4];
        random.nextBytes(address);
        return new InetSocketAddress(InetAddress.getByAddress(address), random.nextInt(65536));
    }

    private static List<Object> hostText(java.net.SocketAddress address) {
        InetSocketAddress host = (InetSocketAddress) address;
        return Arrays.asList(host.getAddress().getHostAddress(), host.getPort());
    }

    private byte[] body(int atMost) {
        byte[] result = new byte[random.nextInt(atMost)];
        random.nextBytes(result);
        return result;
    }

    private int number() {
        return random.nextBoolean() ? ODD_INTS[random.nextInt(ODD_INTS.length)] : random.nextInt();
    }

    private long number64() {
        return random.nextBoolean() ? ODD_LONGS[random.nextInt(ODD_LONGS.length)] : random.nextLong();
    }
}
