import classes from './chain-line.module.css'

export interface Entry {
  provider: string
  model: string
}

/** A chain in one line: where a call goes first, and where it goes when that fails. Entries of one place share it. */
export function ChainLine({ places }: { places: readonly (readonly Entry[])[] }) {
  const text = places.map((entries) => entries.map(({ provider, model }) => `${provider}/${model}`).join(' or '))
  return (
    <span className={classes['line']} title={text.join(' → ')}>
      {places.map((entries, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same entry may stand twice; its place is what it is.
        <span key={index} className={classes['entry']}>
          {index > 0 && <span className={classes['arrow']}>→ </span>}
          {entries.map(({ provider, model }, at) => (
            <span key={`${provider}/${model}`}>
              {at > 0 && <span className={classes['arrow']}> or </span>}
              <span className={classes['provider']}>{provider}/</span>
              {model}
            </span>
          ))}
        </span>
      ))}
    </span>
  )
}

/** Of entries that say which place they have. */
export function placesOf<Placed extends Entry & { place: number }>(chain: readonly Placed[]): Placed[][] {
  const places: Placed[][] = []
  for (const entry of chain) {
    const last = places.at(-1)
    if (last?.[0]?.place === entry.place) last.push(entry)
    else places.push([entry])
  }
  return places
}
