import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * Prints in which order Java's maps and sets give back random keys: the kind of map, the kind of key, the keys in the order
 * in which they were put, and as they came out. Arguments: a seed, and how many sets of keys.
 */
public final class WriteMaps {
    private static final String[] KEYS = {"text", "int", "long", "queue"};
    private static final int[] MOST_KEYS = {4, 30, 30, 120, 900};

    private final Random random;

    private WriteMaps(long seed) {
        random = new Random(seed);
    }

    public static void main(String[] args) {
        WriteMaps maps = new WriteMaps(Long.parseLong(args[0]));
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            maps.printAll(KEYS[i % KEYS.length], MOST_KEYS[i % MOST_KEYS.length]);
        }
    }

    private void printAll(String kindOfKey, int mostKeys) {
        Set<Object> keys = new LinkedHashSet<>();
        for (int i = random.nextInt(mostKeys); i >= 0; i--) {
            keys.add(key(kindOfKey));
        }
        print("HashMap()", kindOfKey, keys, put(keys, HashMap::new));
        print("HashMap(128)", kindOfKey, keys, put(keys, () -> new HashMap<>(128)));
        print("HashMap(1, copied=True)", kindOfKey, keys, new HashMap<>(asMap(keys)).keySet());
        print("HashMap(1, copied=True)", kindOfKey, keys, putAll(keys, new HashMap<>()));
        print("HashMap(copied=True)", kindOfKey, keys, new HashSet<>(keys));
        print("SizedHashSet()", kindOfKey, keys, addAll(keys, new HashSet<>(keys.size())));
        print("ConcurrentHashMap()", kindOfKey, keys, put(keys, ConcurrentHashMap::new));
        print("ConcurrentHashMap()", kindOfKey, keys, addAll(keys, ConcurrentHashMap.newKeySet()));
        print("ConcurrentHashMap(2)", kindOfKey, keys, put(keys, () -> new ConcurrentHashMap<>(2)));
        print("ConcurrentHashMap(32)", kindOfKey, keys, put(keys, () -> new ConcurrentHashMap<>(32)));
        print("ConcurrentHashMap(512)", kindOfKey, keys, put(keys, () -> new ConcurrentHashMap<>(512)));
        print("ConcurrentHashMap(put_all=True)", kindOfKey, keys, putAll(keys, new ConcurrentHashMap<>()));
        print("ConcurrentHashMap(512, put_all=True)", kindOfKey, keys, putAll(keys, new ConcurrentHashMap<>(512)));
        print("ConcurrentHashMap(put_all=True, source=TreeMap())", kindOfKey, keys,
            putAll(new TreeMap<>(asMap(keys)).keySet(), new ConcurrentHashMap<>()));
        print("ConcurrentHashMap(source=ConcurrentHashMap(1024))", kindOfKey, keys,
            put(put(keys, () -> new ConcurrentHashMap<>(1024)), ConcurrentHashMap::new));
        print("TreeMap()", kindOfKey, keys, new TreeMap<>(asMap(keys)).keySet());
        if (kindOfKey.equals("text")) {
            Properties properties = new Properties();
            keys.forEach(key -> properties.put(key, ""));
            print("ConcurrentHashMap(8)", kindOfKey, keys, properties.keySet());
        }
    }

    private Object key(String kind) {
        switch (kind) {
            case "text":
                return (random.nextInt(3) == 0 ? "%RETRY%" : "Topic") + Long.toString(random.nextInt() & 0xffffffffL, 36)
                    + (random.nextInt(9) == 0 ? "\u4e2d\ud83d\ude80" : "");
            case "int":
                return random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(300) - 20;
            case "long":
                return random.nextInt(4) == 0 ? random.nextLong() : (long) random.nextInt(300) - 20;
            default:
                return new MessageQueue("T" + random.nextInt(5), "broker-" + random.nextInt(3), random.nextInt(40));
        }
    }

    /** A map that gives the keys back as they stand, for others to copy. */
    private static Map<Object, Object> asMap(Collection<Object> keys) {
        Map<Object, Object> map = new LinkedHashMap<>();
        keys.forEach(key -> map.put(key, ""));
        return map;
    }

    private static Collection<Object> put(Collection<Object> keys, Supplier<Map<Object, Object>> maker) {
        Map<Object, Object> map = maker.get();
        keys.forEach(key -> map.put(key, ""));
        return map.keySet();
    }

    private static Collection<Object> putAll(Collection<Object> keys, Map<Object, Object> map) {
        map.putAll(asMap(keys));
        return map.keySet();
    }

    private static Collection<Object> addAll(Collection<Object> keys, Set<Object> set) {
        set.addAll(keys);
        return set;
    }

    private static void print(String kind, String kindOfKey, Collection<Object> keys, Collection<Object> order) {
        Json.print(Json.object("kind", kind, "key", kindOfKey, "keys", shown(keys), "order", shown(order)));
    }

    private static List<Object> shown(Collection<Object> keys) {
        List<Object> result = new ArrayList<>();
        for (Object key : keys) {
            result.add(key instanceof MessageQueue ? shown((MessageQueue) key) : key);
        }
        return result;
    }

    private static List<Object> shown(MessageQueue queue) {
        return List.of(queue.getTopic(), queue.getBrokerName(), queue.getQueueId());
    }
}
