import { Checkbox, Select } from '@mantine/core'
import { BALANCE_WORDS } from './route-changes.ts'
import { type DraftEntry, withGroup } from './route-draft.ts'
import classes from './routes.module.css'
import { HEDGE, SecondsField } from './seconds-field.tsx'
import type { RouteEditorState } from './use-route-editor.ts'

const BALANCES = Object.entries(BALANCE_WORDS).map(([value, label]) => ({ value, label }))

export interface GroupBarProps {
  entry: DraftEntry
  editor: RouteEditorState
  isReadOnly: boolean
}

/** How entries share a place. */
export function GroupBar({ entry, editor: { draft, change }, isReadOnly }: GroupBarProps) {
  return (
    <div className={classes['groupBar']}>
      <Select
        size="xs"
        aria-label="Which entry of this place is called first"
        data={BALANCES}
        value={entry.balance}
        onChange={(balance) => change(withGroup(draft, entry.group, { balance: balance as DraftEntry['balance'] }))}
        readOnly={isReadOnly}
        {...(isReadOnly ? { rightSection: <span /> } : {})}
        allowDeselect={false}
      />
      <SecondsField
        size="xs"
        aria-label="Hedge after"
        title={HEDGE}
        placeholder="hedge never"
        prefix="hedge after "
        value={entry.hedgeAfterMs}
        onChange={(hedgeAfterMs) => change(withGroup(draft, entry.group, { hedgeAfterMs }))}
        readOnly={isReadOnly}
      />
      <Checkbox
        size="xs"
        label="Sessions stay at their entry"
        title="Prompt caches are per account and region, so a conversation keeps using its own"
        checked={entry.sticky}
        onChange={(event) => change(withGroup(draft, entry.group, { sticky: event.currentTarget.checked }))}
        disabled={isReadOnly}
      />
    </div>
  )
}
