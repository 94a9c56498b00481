import classes from './capability-tags.module.css'

export interface Capability {
  name: string
  /** Only some entries of the chain have it. */
  isPartial?: boolean
}

/** `json_schema` → "json schema". */
export function capabilityText(name: string): string {
  return name.replaceAll('_', ' ')
}

/** What a model can do. Plain spans: tables draw thousands of them. */
export function CapabilityTags({
  capabilities,
  wanted,
  limit = Number.POSITIVE_INFINITY,
}: {
  capabilities: readonly Capability[]
  /** These come first and are highlighted. */
  wanted?: ReadonlySet<string>
  /** Shows so many in one line and says how many more there are. */
  limit?: number
}) {
  if (capabilities.length === 0) return <span className={classes['more']}>unknown</span>
  const isWanted = ({ name }: Capability) => wanted?.has(name) === true
  const ordered = [...capabilities.filter(isWanted), ...capabilities.filter((capability) => !isWanted(capability))]
  const shown = ordered.slice(0, limit)
  const rest = ordered.slice(limit)
  return (
    <span className={classes['tags']} data-one-line={Number.isFinite(limit) || undefined}>
      {shown.map((capability) => (
        <span
          key={capability.name}
          className={classes['tag']}
          data-partly={capability.isPartial || undefined}
          data-wanted={isWanted(capability) || undefined}
          title={capability.isPartial ? 'Not every entry of the chain has it' : undefined}
        >
          {capabilityText(capability.name)}
        </span>
      ))}
      {rest.length > 0 && (
        <span className={classes['more']} title={rest.map(({ name }) => capabilityText(name)).join(', ')}>
          +{rest.length}
        </span>
      )}
    </span>
  )
}
