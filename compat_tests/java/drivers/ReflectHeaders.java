import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.rocketmq.common.action.RocketMQAction;
import org.apache.rocketmq.remoting.annotation.CFNotNull;
import org.apache.rocketmq.remoting.protocol.FastCodesHeader;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;

/** Prints every header class of 5.5.0, one JSON object a line. */
public final class ReflectHeaders {
    public static void main(String[] args) throws Exception {
        for (Class<?> header : Headers.all()) {
            RocketMQAction action = header.getAnnotation(RocketMQAction.class);
            Json.print(Json.object(
                "class", header.getName(),
                "abstract", Headers.isAbstract(header),
                "ancestors", ancestors(header),
                "fields", fields(header),
                "fast", FastCodesHeader.class.isAssignableFrom(header),
                "request_code", action == null ? null : action.value(),
                "default_ext_fields", Headers.isAbstract(header) ? null : defaultExtFields(header)));
        }
    }

    private static List<String> ancestors(Class<?> header) {
        List<String> result = new ArrayList<>();
        for (Class<?> owner = header.getSuperclass(); owner != Object.class; owner = owner.getSuperclass()) {
            result.add(owner.getName());
        }
        return result;
    }

    /** Static fields as well: they do not travel, but take places in the set that decides the order of those that do. */
    private static List<Object> fields(Class<?> header) {
        List<Object> result = new ArrayList<>();
        for (Field field : Headers.declaredFields(header)) {
            result.add(Json.object(
                "name", field.getName(),
                "type", field.getType().getSimpleName(),
                "static", Modifier.isStatic(field.getModifiers()),
                "required", field.isAnnotationPresent(CFNotNull.class),
                "declared_in", field.getDeclaringClass().getName()));
        }
        return result;
    }

    /** What a freshly made header puts on the wire, in the order of its map. */
    private static Map<String, String> defaultExtFields(Class<?> header) throws ReflectiveOperationException {
        RemotingCommand command = RemotingCommand.createRequestCommand(0, Headers.make(header));
        command.makeCustomHeaderToNet();
        return new LinkedHashMap<>(command.getExtFields());
    }
}
