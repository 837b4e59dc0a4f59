import io.netty.buffer.ByteBufUtil;

/** Bytes as hex digits and back. */
final class Hex {
    private Hex() {
    }

    static String of(byte[] bytes) {
        return bytes == null ? null : ByteBufUtil.hexDump(bytes);
    }

    static byte[] bytes(String digits) {
        return ByteBufUtil.decodeHexDump(digits);
    }
}
