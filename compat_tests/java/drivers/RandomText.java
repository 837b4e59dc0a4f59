import java.util.Random;

/** Random strings made of what breaks encoders: quotes, control characters, other alphabets, broken surrogates. */
final class RandomText {
    private static final String[] PIECES = {
        "a", "Z", "0", " ", "%", "_", "topic-", "\"", "\\", "/", "<", ">", "&", "'", "{", "}", ":", ",",
        "\u0000", "\u0001", "\u0002", "\u0007", "\b", "\t", "\n", "\u000b", "\f", "\r", "\u000e", "\u001a", "\u001b",
        "\u001f", "\u007f", "\u0080", "\u0085", "\u009f", "\u00a0", "\u00ad", "\u00e9", "\u00ff", "\u0100", "\u07ff", "\u0800",
        "\u4e2d\u6587", "\u3042", "\ud55c", "\u0645", "\u200b", "\u2027", "\u2028", "\u2029", "\u202a", "\ud7ff",
        "\ue000", "\ufeff", "\ufffd", "\uffff", "\ud83d\ude80", "\ud800\udc00", "\udbff\udfff",
        "\ud83d", "\ude80", "\ude80\ud83d",
    };

    private final Random random;

    RandomText(Random random) {
        this.random = random;
    }

    /** Often a few odd pieces, sometimes empty, rarely long. */
    String next() {
        int dice = random.nextInt(20);
        if (dice == 0) {
            return "";
        }
        return of(dice == 1 ? 300 : 1 + random.nextInt(6));
    }

    private String of(int pieces) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < pieces; i++) {
            text.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return text.toString();
    }

    String nextOrNull() {
        return random.nextInt(3) == 0 ? null : next();
    }
}
