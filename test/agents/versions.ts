/** The agents that are tested, as they are on npm. A new version is tried by changing it here. */
export const AGENTS = {
  '@anthropic-ai/claude-code': '2.1.325',
  '@openai/codex': '0.166.0',
  'opencode-ai': '1.18.33',
  '@continuedev/cli': '1.5.47',
  '@google/gemini-cli': '0.61.0',
} as const
