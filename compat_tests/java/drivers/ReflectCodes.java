import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

/** Prints the codes of the classes named: numeric constants by their value, enum constants by their getCode(). */
public final class ReflectCodes {
    public static void main(String[] args) throws ReflectiveOperationException {
        for (String name : args) {
            Class<?> owner = Class.forName(name);
            for (Field field : owner.getDeclaredFields()) {
                field.setAccessible(true);
                if (field.isEnumConstant()) {
                    print(owner, field, (Number) owner.getMethod("getCode").invoke(field.get(null)));
                } else if (Modifier.isStatic(field.getModifiers()) && field.get(null) instanceof Number) {
                    print(owner, field, (Number) field.get(null));
                }
            }
        }
    }

    private static void print(Class<?> owner, Field field, Number value) {
        Json.print(Json.object("owner", owner.getName(), "name", field.getName(), "value", value));
    }
}
