import type { Lane } from './geometry.ts'

/** What became of an attempt and why the next step was taken, as a sentence. */
export function storyOf(lane: Lane, next: Lane | undefined): string {
  const { attempt, outcome } = lane
  switch (outcome) {
    case 'served':
      return 'Served the call.'
    case 'left':
      return 'The caller disconnected before it finished.'
    case 'skipped':
      return `Not called: ${withoutPrefix(attempt.reason, 'skipped')}.`
    case 'refused':
    case 'failed': {
      const reason = withoutPrefix(attempt.reason, attempt.code ?? '')
      return `${capitalised(reason === '' ? 'it failed' : reason)}${followUp(lane, next)}.`
    }
  }
}

function followUp({ attempt }: Lane, next: Lane | undefined): string {
  if (next === undefined) return ', so no fallback was tried'
  const isSameEntry = next.attempt.provider === attempt.provider && next.attempt.model === attempt.model
  return isSameEntry ? '' : ', so the next entry was tried'
}

/** The gateway's reasons begin with what stands beside the sentence anyway. */
function withoutPrefix(reason: string, prefix: string): string {
  const text = reason.startsWith(`${prefix}: `) ? reason.slice(prefix.length + 2) : reason
  return text.replace(/\.$/, '')
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
