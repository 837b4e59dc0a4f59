import java.util.Arrays;
import org.apache.rocketmq.tools.command.MQAdminStartup;

/**
 * mqadmin that ends when its command has. The tool itself lingers for up to five seconds: its client joins an
 * event thread that looks up every three seconds, and Netty's threads stay two more.
 */
public final class AdminTool {
    private static final String LINGERING_THREAD = "NettyEventExecutor";

    public static void main(String[] args) {
        hurry(Thread.currentThread());
        MQAdminStartup.main(args);
        System.exit(0);
    }

    /** Sees to it that the thread which runs commands does not wait for lingering ones. */
    static void hurry(Thread main) {
        Thread hurry = new Thread(() -> wakeLingeringThread(main));
        hurry.setDaemon(true);
        hurry.start();
    }

    private static void wakeLingeringThread(Thread main) {
        while (main.isAlive()) {
            if (isShuttingDown(main)) {
                Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals(LINGERING_THREAD))
                    .forEach(Thread::interrupt);
            }
            pause();
        }
    }

    private static boolean isShuttingDown(Thread main) {
        return Arrays.stream(main.getStackTrace())
            .anyMatch(frame -> frame.getClassName().endsWith(".ServiceThread") && frame.getMethodName().equals("shutdown"));
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
