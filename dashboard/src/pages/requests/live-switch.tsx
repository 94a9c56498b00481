import { Switch, Tooltip } from '@mantine/core'
import classes from './requests.module.css'

export interface LiveSwitchProps {
  isOn: boolean
  isPaused: boolean
  /** The list ends in the past: there is nothing to follow. */
  isOver: boolean
  onChange: (isOn: boolean) => void
}

/** Whether new requests come in by themselves. */
export function LiveSwitch({ isOn, isPaused, isOver, onChange }: LiveSwitchProps) {
  const hint = isOver
    ? 'The range ends in the past, so nothing new can come in'
    : 'New requests come in every two seconds; they wait while you point at the list or have one open'
  return (
    <Tooltip label={hint}>
      <div className={classes['live']} data-on={(isOn && !isOver) || undefined} data-paused={isPaused || undefined}>
        <span className={classes['pulse']} aria-hidden />
        <Switch
          size="xs"
          label={isOn && isPaused && !isOver ? 'Live, paused' : 'Live'}
          labelPosition="left"
          checked={isOn && !isOver}
          disabled={isOver}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      </div>
    </Tooltip>
  )
}
