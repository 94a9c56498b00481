import classes from './chain-line.module.css'

/** A chain in one line: where a call goes first, and where it goes when that fails. */
export function ChainLine({ chain }: { chain: readonly { provider: string; model: string }[] }) {
  const text = chain.map(({ provider, model }) => `${provider}/${model}`)
  return (
    <span className={classes['line']} title={text.join(' → ')}>
      {chain.map(({ provider, model }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same entry may stand twice; its place is what it is.
        <span key={index} className={classes['entry']}>
          {index > 0 && <span className={classes['arrow']}>→ </span>}
          <span className={classes['provider']}>{provider}/</span>
          {model}
        </span>
      ))}
    </span>
  )
}
