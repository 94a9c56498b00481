import { Switch, Tooltip } from '@mantine/core'
import classes from './requests.module.css'

export interface LiveSwitchProps {
  isOn: boolean
  isPaused: boolean
  /** The list ends in the past: there is nothing to follow. */
  isOver: boolean
  /** Why the gateway could not be asked for new ones. */
  problem: string | null
  onChange: (isOn: boolean) => void
}

/** Whether new requests appear as they arrive. */
export function LiveSwitch({ isOn, isPaused, isOver, problem, onChange }: LiveSwitchProps) {
  const isFollowing = isOn && !isOver
  const hint = isOver
    ? 'The range ends in the past, so there are no new requests'
    : 'Adds new requests every two seconds; pauses while you point at the list or have one open'
  const state = problem !== null ? ', no answer' : isPaused ? ', paused' : ''
  return (
    <Tooltip label={problem ?? hint}>
      <div
        className={classes['live']}
        data-on={isFollowing || undefined}
        data-state={problem !== null ? 'failing' : isPaused ? 'paused' : 'on'}
      >
        <span className={classes['pulse']} aria-hidden />
        <Switch
          size="xs"
          label={`Live${isFollowing ? state : ''}`}
          labelPosition="left"
          checked={isFollowing}
          disabled={isOver}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      </div>
    </Tooltip>
  )
}
