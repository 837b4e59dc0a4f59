"""What processors share when they refuse: Java's words."""

from __future__ import annotations

from typing import Final

# FAQUrl.suggestTodo: the sentence that ends many of Java's remarks
SEE_FAQ: Final = "\nSee https://rocketmq.apache.org/docs/bestPractice/06FAQ for further details."
