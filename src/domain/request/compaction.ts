import { worded } from '../wording/worded.ts'
import type { JsonObject } from './call-request.ts'
import { mistake } from './rejection.ts'
import { type Sealing, sealText, unsealText } from './sealing.ts'

/** The last item of an input whose caller wants one `compaction` item in place of an answer. */
const TRIGGER = 'compaction_trigger'
/** Ours, with the version of the format. Vendors seal differently. */
const PREFIX = 'swyc1.'

type Items = readonly JsonObject[]

/** Agents ask for a summary of the conversation by its last item. */
export function isCompaction({ input }: JsonObject): boolean {
  return Array.isArray(input) && (input.at(-1) as JsonObject | undefined)?.['type'] === TRIGGER
}

/** The place of a trigger that another item follows; -1: there is none. */
export function misplacedTrigger(input: unknown): number {
  if (!Array.isArray(input)) return -1
  for (let at = input.length - 2; at >= 0; at--) if ((input[at] as JsonObject | null)?.['type'] === TRIGGER) return at
  return -1
}

/** Agents call it by either name. */
export function isCapsule({ type }: JsonObject): boolean {
  return type === 'compaction' || type === 'compaction_summary'
}

/** A summary that this gateway has sealed: its text is not longer than the capsule. */
export function isOwnCapsule(item: JsonObject): boolean {
  const { encrypted_content: sealed } = item
  return isCapsule(item) && typeof sealed === 'string' && sealed.startsWith(PREFIX)
}

/** For any model of the workspace: routes change in a session of days. */
export function sealSummary(summary: string, { keys, workspace }: Pick<Sealing, 'keys' | 'workspace'>): string {
  const sealed = sealText(PREFIX, summary, keys, workspace)
  if (sealed === null) throw new Error('there is no key to seal a summary with')
  return sealed
}

/**
 * The input with our capsules as messages, for any entry: a vendor cannot open them. The same array where it has none.
 * One that cannot be opened is the caller's mistake.
 */
export function openCapsules<Item extends JsonObject>(input: readonly Item[], sealing: Sealing | undefined): Items {
  if (!input.some(isOwnCapsule)) return input
  return input.map((item, at) => (isOwnCapsule(item) ? opened(item, at, sealing) : item))
}

function opened({ encrypted_content: sealed }: JsonObject, at: number, sealing: Sealing | undefined): JsonObject {
  const summary = sealing === undefined ? null : unsealText(PREFIX, String(sealed), sealing.keys, sealing.workspace)
  if (summary === null) {
    mistake(
      worded`input[${at}].encrypted_content: this summary was changed, or made for another workspace, or by a gateway with another SECRETS_KEY; start a new session`,
    )
  }
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text: INTRODUCTION + summary }] }
}

const INTRODUCTION = `The conversation until here was replaced by this summary of it. Go on from there.

`

/** The request for a summary of the conversation, without what its answer must not use. Never changes the request. */
export function summaryRequest<Request extends JsonObject>(request: Request): Request {
  const {
    tools: _,
    tool_choice: _choice,
    parallel_tool_calls: _parallel,
    text: _text,
    include: _include,
    ...rest
  } = request
  const input = (request['input'] as Items).slice(0, -1).filter(({ type }) => type !== 'additional_tools')
  if (input.length === 0) mistake(worded`input: expected at least one item before ${TRIGGER}`)
  return { ...rest, input: [...input, { type: 'message', role: 'user', content: INSTRUCTION }] } as unknown as Request
}

/** Shorter than what is held for it (prompt-bound.ts). */
const INSTRUCTION = `Stop the work here and write a summary of this conversation. It replaces the conversation: the agent that continues has read nothing else. Say
- what the user asked for, in their words where they matter, with every constraint and preference;
- what was done and found out, what was decided and why, and what failed;
- the state now: names of files, commands, values and errors exactly as they are;
- what is left, and the next step.
Write only the summary, and call no tools.`
