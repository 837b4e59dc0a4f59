import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.apache.rocketmq.remoting.CommandCustomHeader;

/** The header classes of the release on the class path, wherever its packages put them. */
final class Headers {
    private Headers() {
    }

    /** Every class that implements CommandCustomHeader, by full name. */
    static List<Class<?>> all() throws IOException {
        Map<String, Class<?>> found = new TreeMap<>();
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
            // 5.5 keeps its headers in remoting, 4.9 in common.
            if (new File(path).getName().matches("rocketmq-(remoting|common)-.*\\.jar")) {
                scan(path, found);
            }
        }
        return new ArrayList<>(found.values());
    }

    private static void scan(String path, Map<String, Class<?>> found) throws IOException {
        try (JarFile jar = new JarFile(path)) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                if (!entry.getName().endsWith(".class")) {
                    continue;
                }
                String name = entry.getName().replaceAll("\\.class$", "").replace('/', '.');
                Class<?> candidate = load(name);
                if (candidate != null && !candidate.isInterface() && CommandCustomHeader.class.isAssignableFrom(candidate)) {
                    found.put(name, candidate);
                }
            }
        }
    }

    /** The class, or null when it needs a library that is not there (no header does). */
    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, Headers.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    static boolean isAbstract(Class<?> header) {
        return Modifier.isAbstract(header.getModifiers());
    }

    static List<Class<?>> concrete() throws IOException {
        return all().stream().filter(header -> !isAbstract(header)).collect(Collectors.toList());
    }

    static CommandCustomHeader make(Class<?> header) throws ReflectiveOperationException {
        return (CommandCustomHeader) header.getDeclaredConstructor().newInstance();
    }

    /** The fields of the class, then those of each superclass, each in declared order. */
    static List<Field> declaredFields(Class<?> header) {
        List<Field> result = new ArrayList<>();
        for (Class<?> owner = header; owner != Object.class; owner = owner.getSuperclass()) {
            Collections.addAll(result, owner.getDeclaredFields());
        }
        return result;
    }

    /** The fields that travel. */
    static List<Field> fields(Class<?> header) {
        List<Field> result = declaredFields(header);
        result.removeIf(field -> Modifier.isStatic(field.getModifiers()));
        result.forEach(field -> field.setAccessible(true));
        return result;
    }

    static Map<String, Object> values(Object header) throws IllegalAccessException {
        Map<String, Object> result = new LinkedHashMap<>();
        for (Field field : fields(header.getClass())) {
            result.put(field.getName(), field.get(header));
        }
        return result;
    }
}
