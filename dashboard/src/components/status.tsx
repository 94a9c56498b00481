import { Badge } from '@mantine/core'

/** How a request ended: its HTTP status, coloured by whose fault it was. */
export function StatusBadge({ status, code }: { status: number | null; code: string | null }) {
  if (status === null) return <Badge color="blue">running</Badge>
  if (status === 0) return <Badge color="gray">interrupted</Badge>
  // A stream that was cut off has begun with 200.
  const color = status < 300 ? (code === null ? 'teal' : 'red') : status < 500 ? 'yellow' : 'red'
  return (
    <Badge color={color} title={code ?? undefined} className="figures">
      {status}
    </Badge>
  )
}

export function CircuitBadge({ state }: { state: 'closed' | 'open' | 'half-open' }) {
  const color = { closed: 'teal', 'half-open': 'yellow', open: 'red' }[state]
  return <Badge color={color}>{state}</Badge>
}

/** Says why something cannot be edited here. */
export function ManagedBadge({ by }: { by: 'config' | 'environment' | 'builtin' | null }) {
  if (by === null || by === 'builtin') return null
  const title =
    by === 'config'
      ? 'Managed by switchyard.yaml: change it there'
      : 'Set by the gateway’s environment: change it there'
  return (
    <Badge color="gray" title={title}>
      {by === 'config' ? 'file' : 'environment'}
    </Badge>
  )
}
