import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/** Objects of any body class with random values in their fields. */
final class RandomBody {
    private static final int MOST_ELEMENTS = 4;

    private final Random random;
    private final RandomText text;

    RandomBody(Random random) {
        this.random = random;
        this.text = new RandomText(random);
    }

    Object next(Class<?> type) throws ReflectiveOperationException {
        Object body = make(type);
        for (Class<?> owner = type; owner != Object.class; owner = owner.getSuperclass()) {
            for (Field field : owner.getDeclaredFields()) {
                if (travels(field)) {
                    field.setAccessible(true);
                    field.set(body, mayBeNull(field, body) ? null : value(field.getGenericType()));
                }
            }
        }
        return body;
    }

    /** Not constants, nor the hash that some classes remember, nor the dice of BrokerData. */
    private static boolean travels(Field field) {
        return !Modifier.isStatic(field.getModifiers()) && !field.getName().equals("hash") && field.getType() != Random.class;
    }

    /** Getters and comparisons need some fields: those with a value from the start, bodies, what sorts, and `bname`. */
    private boolean mayBeNull(Field field, Object body) throws IllegalAccessException {
        Class<?> type = field.getType();
        boolean isBody = type.getName().startsWith("org.apache.rocketmq.") && !type.isEnum();
        boolean isNeeded = type.isPrimitive() || isBody || body instanceof Comparable || field.getName().equals("bname")
            || field.get(body) != null;
        return !isNeeded && random.nextInt(4) == 0;
    }

    private Object make(Class<?> type) throws ReflectiveOperationException {
        Constructor<?> constructor = Arrays.stream(type.getDeclaredConstructors())
            .filter(candidate -> !Arrays.asList(candidate.getParameterTypes()).contains(type))
            .min(Comparator.comparingInt(Constructor::getParameterCount)).orElseThrow(AssertionError::new);
        constructor.setAccessible(true);
        List<Object> arguments = new ArrayList<>();
        for (Type parameter : constructor.getGenericParameterTypes()) {
            arguments.add(value(parameter));
        }
        return constructor.newInstance(arguments.toArray());
    }

    private Object value(Type type) throws ReflectiveOperationException {
        if (type instanceof ParameterizedType) {
            ParameterizedType generic = (ParameterizedType) type;
            Class<?> raw = (Class<?>) generic.getRawType();
            Type[] arguments = generic.getActualTypeArguments();
            return Map.class.isAssignableFrom(raw) ? map(raw, arguments[0], arguments[1]) : collection(raw, arguments[0]);
        }
        return simpleValue((Class<?>) type);
    }

    private Object simpleValue(Class<?> type) throws ReflectiveOperationException {
        if (type == String.class) {
            // In UTF-8 every broken surrogate is a question mark, so keys that differ in nothing else would meet.
            return text.next().replaceAll("\\p{Cs}", "");
        }
        if (type == int.class || type == Integer.class) {
            return random.nextBoolean() ? random.nextInt() : random.nextInt(100);
        }
        if (type == long.class || type == Long.class) {
            return longValue();
        }
        if (type == boolean.class || type == Boolean.class) {
            return random.nextBoolean();
        }
        if (type == double.class) {
            return doubleValue();
        }
        return type.isEnum() ? type.getEnumConstants()[random.nextInt(type.getEnumConstants().length)] : objectValue(type);
    }

    private Object objectValue(Class<?> type) throws ReflectiveOperationException {
        if (type == AtomicLong.class) {
            return new AtomicLong(longValue());
        }
        if (type == BitSet.class) {
            return BitSet.valueOf(new long[] {random.nextLong(), random.nextInt(3)});
        }
        if (type == long[].class) {
            return random.longs(random.nextInt(MOST_ELEMENTS)).toArray();
        }
        if (type == Properties.class) {
            Properties properties = new Properties();
            properties.putAll(map(HashMap.class, String.class, String.class));
            return properties;
        }
        return next(type);
    }

    private long longValue() {
        return random.nextBoolean() ? random.nextLong() : random.nextInt(100000);
    }

    private double doubleValue() {
        switch (random.nextInt(5)) {
            case 0:
                return random.nextInt(100000) / 60.0;
            case 1:
                return random.nextInt(10000000) / 1000.0;
            case 2:
                return random.nextInt();
            case 3:
                return random.nextGaussian() * Math.pow(10, random.nextInt(30) - 15);
            default:
                return 0;
        }
    }

    private Collection<Object> collection(Class<?> raw, Type element) throws ReflectiveOperationException {
        Collection<Object> elements = raw == TreeSet.class ? new TreeSet<>()
            : Set.class.isAssignableFrom(raw) ? new HashSet<>() : new ArrayList<>();
        for (int i = random.nextInt(MOST_ELEMENTS + 1); i > 0; i--) {
            elements.add(value(element));
        }
        return elements;
    }

    private Map<Object, Object> map(Class<?> raw, Type key, Type value) throws ReflectiveOperationException {
        Map<Object, Object> entries = raw == TreeMap.class ? new TreeMap<>()
            : ConcurrentMap.class.isAssignableFrom(raw) ? new ConcurrentHashMap<>() : new HashMap<>();
        for (int i = random.nextInt(MOST_ELEMENTS + 1); i > 0; i--) {
            entries.put(value(key), value(value));
        }
        return entries;
    }
}
