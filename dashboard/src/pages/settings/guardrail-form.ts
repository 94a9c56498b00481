import type { Workspace } from './workspace.ts'

type GuardrailSettings = NonNullable<Workspace['guardrail']>

/** Who checks what calls say, as a form holds it. */
export interface GuardrailForm {
  isOn: boolean
  url: string
  before: boolean
  after: boolean
  timeoutMs: number | string
  onFailure: GuardrailSettings['on_failure']
}

export function guardrailForm(guardrail: Workspace['guardrail']): GuardrailForm {
  const { url = '', before = true, after = false, timeout_ms = 2_000, on_failure = 'closed' } = guardrail ?? {}
  return { isOn: guardrail !== null, url, before, after, timeoutMs: timeout_ms, onFailure: on_failure }
}

export function guardrailOf({ isOn, url, before, after, timeoutMs, onFailure }: GuardrailForm): Workspace['guardrail'] {
  return isOn ? { url: url.trim(), before, after, timeout_ms: Number(timeoutMs), on_failure: onFailure } : null
}

/** One that checks nothing would only look like a check. */
export function isGuardrailWhole({ isOn, url, before, after, timeoutMs }: GuardrailForm): boolean {
  return !isOn || (url.trim() !== '' && (before || after) && timeoutMs !== '')
}
