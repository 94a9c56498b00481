import { Button, Popover, UnstyledButton } from '@mantine/core'
import {
  AudioLines,
  Bot,
  Braces,
  CircleCheck,
  CircleStop,
  CircleX,
  Coins,
  Cpu,
  DatabaseZap,
  Folder,
  Hash,
  KeyRound,
  ListFilter,
  type LucideIcon,
  MessageSquareText,
  Route,
  Server,
  ServerCrash,
  Shapes,
  Split,
  SquareTerminal,
  Tag,
  Timer,
  User,
  Waypoints,
} from 'lucide-react'
import { useLocation } from 'wouter'
import { usePath } from '../../shell/place.ts'
import { FilterEditor, IdEditor } from './filter-editor.tsx'
import { FIELD_TITLES, FIELDS, type Field } from './filters.ts'
import classes from './requests.module.css'

/** Which filter is being edited; `menu` while one is chosen. */
export type Editing = Field | 'id' | 'menu' | null

const ICONS: Record<Field, LucideIcon> = {
  status: CircleCheck,
  code: CircleX,
  reason: MessageSquareText,
  param: Braces,
  provider_code: ServerCrash,
  route: Route,
  provider: Server,
  model: Cpu,
  key: KeyRound,
  fallback: Split,
  min_cost_usd: Coins,
  min_duration_ms: Timer,
  max_duration_ms: Timer,
  cache: DatabaseZap,
  streamed: AudioLines,
  ended: CircleStop,
  endpoint: Waypoints,
  user: User,
  session: SquareTerminal,
  agent: Bot,
  kind: Shapes,
  project: Folder,
  tag: Tag,
}

export interface FilterMenuProps {
  editing: Editing
  onEdit: (editing: Editing) => void
  onChange: (change: Record<string, string | null>) => void
}

/** First what to filter by, then its value, in one place. */
export function FilterMenu({ editing, onEdit, onChange }: FilterMenuProps) {
  const path = usePath()
  const [, navigate] = useLocation()
  function apply(change: Record<string, string | null>) {
    onChange(change)
    onEdit(null)
  }
  return (
    <Popover
      opened={editing !== null}
      onChange={(isOpen) => onEdit(isOpen ? 'menu' : null)}
      position="bottom-start"
      width={290}
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<ListFilter size={15} aria-hidden />}
          onClick={() => onEdit(editing === null ? 'menu' : null)}
        >
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={editing === 'menu' ? 4 : 'sm'} aria-label="Filter requests">
        {editing === 'menu' && <FieldList onEdit={onEdit} />}
        {editing === 'id' && <IdEditor onOpen={(id) => navigate(path('requests', id) + window.location.search)} />}
        {editing !== null && editing !== 'menu' && editing !== 'id' && (
          <FilterEditor field={editing} onChange={apply} />
        )}
      </Popover.Dropdown>
    </Popover>
  )
}

function FieldList({ onEdit }: { onEdit: (editing: Editing) => void }) {
  return (
    <>
      {FIELDS.map((field) => (
        <FieldButton key={field} icon={ICONS[field]} title={FIELD_TITLES[field]} onClick={() => onEdit(field)} />
      ))}
      <FieldButton icon={Hash} title="Request id" onClick={() => onEdit('id')} />
    </>
  )
}

function FieldButton({ icon: Icon, title, onClick }: { icon: LucideIcon; title: string; onClick: () => void }) {
  return (
    <UnstyledButton className={classes['field'] ?? ''} onClick={onClick}>
      <Icon size={15} aria-hidden />
      {title}
    </UnstyledButton>
  )
}
