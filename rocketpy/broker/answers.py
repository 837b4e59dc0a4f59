"""What processors share when they refuse: Java's words."""

from __future__ import annotations

from typing import Final

# FAQUrl.suggestTodo: the sentence that ends many of Java's remarks
SEE_FAQ: Final = "\nSee https://rocketmq.apache.org/docs/bestPractice/06FAQ for further details."

# RemotingCommand.createResponseCommand: what stands in the remark of answers whose maker sets only the code
NO_REMARK: Final = "not set any response code"
