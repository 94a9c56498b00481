import type { WithHeaders } from './endpoint.ts'

/** What an agent does with a refusal that stays one however often it is asked again (docs/agents.md has the whole table). */
interface AgentRefusals {
  agent: string
  isFrom(call: WithHeaders): boolean
  /**
   * `status`: the status stops it, and it shows our message. `failed-stream`: it asks again after any status, up to thirty
   * times, and loses our message; a stream that says that the response has failed stops it at once, with our message.
   */
  stopsAt: 'status' | 'failed-stream'
}

/** Those that are not listed are answered by status, as the contract has it. */
export const AGENT_REFUSALS: readonly AgentRefusals[] = [
  // Every build of it names itself: codex_exec, codex_cli_rs, codex_vscode, "Codex Desktop".
  { agent: 'Codex', isFrom: (call) => /^codex/i.test(call.header('originator') ?? ''), stopsAt: 'failed-stream' },
  { agent: 'Claude Code', isFrom: isClient(/^claude-cli\//), stopsAt: 'status' },
  { agent: 'OpenCode', isFrom: isClient(/^opencode\//), stopsAt: 'status' },
  { agent: 'Gemini CLI', isFrom: isClient(/^GeminiCLI/), stopsAt: 'status' },
]

function isClient(name: RegExp): AgentRefusals['isFrom'] {
  return (call) => name.test(call.header('user-agent') ?? '')
}

/** Whether the caller asks again after any status, and stops at a stream that has failed. */
export function stopsAtFailedStream(call: WithHeaders): boolean {
  return AGENT_REFUSALS.find(({ isFrom }) => isFrom(call))?.stopsAt === 'failed-stream'
}

/** Such agents say by this header that they want a stream, also where the body is refused unread. */
export function acceptsStream(call: WithHeaders): boolean {
  return call.header('accept')?.includes('text/event-stream') === true
}
