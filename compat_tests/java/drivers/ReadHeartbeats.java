import java.io.BufferedReader;
import java.io.InputStreamReader;
import org.apache.rocketmq.remoting.protocol.RemotingSerializable;
import org.apache.rocketmq.remoting.protocol.heartbeat.HeartbeatData;

/** Reads heartbeats in hex and prints the fingerprint of each. */
public final class ReadHeartbeats {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            HeartbeatData heartbeat = RemotingSerializable.decode(Hex.bytes(line), HeartbeatData.class);
            System.out.println(heartbeat.computeHeartbeatFingerprint());
        }
    }
}
