/** Where a request asks for compaction and names no number of tokens. Anthropic's default, as of November 2026. */
export const defaultThreshold = 150_000
