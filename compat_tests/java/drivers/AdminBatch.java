import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.rocketmq.tools.command.MQAdminStartup;

/**
 * mqadmin for many commands in one JVM: a line of tab-separated arguments in, one JSON array with what the
 * command printed on stdout and stderr out.
 */
public final class AdminBatch {
    public static void main(String[] args) throws IOException {
        AdminTool.hurry(Thread.currentThread());
        PrintStream answers = System.out;
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
            MQAdminStartup.main0(line.split("\t"), null);
            answers.println(Json.text(java.util.List.of(
                out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8))));
            answers.flush();
        }
        System.exit(0);
    }
}
