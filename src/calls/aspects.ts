import type { Workspace } from '../domain/snapshot.ts'
import { CallerLeftError, type CallReply } from '../http/call.ts'
import { asGatewayError } from '../http/respond.ts'
import { keptContent } from './content/kept-content.ts'
import type { Deps, MakeAspect } from './deps.ts'
import { guarded } from './guardrail/guarded.ts'
import { braked } from './loops/braked.ts'
import type { Aspect, Begun, Ended, Given, Resolved } from './stages.ts'

/** What a workspace may have switched on; null: it has not. A further feature of this kind is a row here and a folder. */
const OF_WORKSPACE: readonly ((workspace: Workspace) => MakeAspect | null)[] = [braked, guarded, keptContent]

export const NO_ASPECTS: readonly Aspect[] = []

/** Found once for a workspace: a snapshot does not change. */
const makers = new WeakMap<Workspace, readonly MakeAspect[]>()

export function aspectsOf(
  call: Begun,
  workspace: Workspace | undefined,
  chunks: readonly Buffer[],
  deps: Deps,
): readonly Aspect[] {
  const makes = workspace === undefined ? deps.aspects : makersOf(workspace, deps)
  if (makes.length === 0) return NO_ASPECTS
  return makes.map((make) => make(call, chunks, deps)).filter((aspect) => aspect !== null)
}

function makersOf(workspace: Workspace, { aspects }: Pick<Deps, 'aspects'>): readonly MakeAspect[] {
  const known = makers.get(workspace)
  if (known !== undefined) return known
  const found = [...OF_WORKSPACE.map((of) => of(workspace)).filter((make) => make !== null), ...aspects]
  makers.set(workspace, found)
  return found
}

/** In their order: the first that has an answer gives it. */
export async function enterAspects(call: Resolved): Promise<Given | null> {
  // By place: one of them may change those behind it.
  for (let place = 0; place < call.aspects.length; place++) {
    const given = await call.aspects[place]?.enter?.(call)
    if (given != null) return given
  }
  return null
}

/** Whether the reply may go out; if not, `ended` says why. */
export async function passes(ended: Ended, reply: CallReply | null): Promise<boolean> {
  try {
    for (const aspect of ended.call.aspects) await aspect.check?.(ended, reply)
    return true
  } catch (error) {
    ended.error = error instanceof CallerLeftError ? 'caller-left' : asGatewayError(error)
    return false
  }
}
