import { Text } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useChange, useOperation } from '../../../api/hooks.ts'
import { Confirm } from '../../../components/confirm.tsx'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { LimitsInWords } from '../../../components/limits/limits-in-words.tsx'
import { MayButton } from '../../../components/may-button.tsx'
import { Panel } from '../../../components/panel.tsx'
import { EmptyState, Loaded } from '../../../components/states.tsx'
import { tell } from '../../../components/tell.ts'
import { EditTemplate } from './edit-template.tsx'
import { RowActions } from './row-actions.tsx'
import type { Template } from './template-form.ts'

type Doing = { what: 'create' } | { what: 'change' | 'delete'; template: Template } | null

function columnsWith(onDo: (doing: Doing) => void): Column<Template>[] {
  return [
    {
      name: 'name',
      title: 'Template',
      cell: ({ name, description }) => (
        <div>
          <Text span size="sm" fw={550}>
            {name}
          </Text>
          {description !== null && (
            <Text size="xs" c="dimmed">
              {description}
            </Text>
          )}
        </div>
      ),
    },
    { name: 'workspace', title: 'Workspace', cell: ({ workspace }) => workspace },
    { name: 'keys', title: 'Keys per person', figures: true, cell: ({ max_keys: keys }) => keys },
    {
      name: 'days',
      title: 'Expires after',
      cell: ({ max_days: days }) => (days === null ? 'never' : days === 1 ? '1 day' : `${days} days`),
    },
    {
      name: 'limits',
      title: 'Limits',
      wideOnly: true,
      cell: ({ limits }) => <LimitsInWords limits={limits} />,
    },
    {
      name: 'actions',
      title: 'Actions',
      figures: true,
      cell: (template) => (
        <RowActions
          name={template.name}
          managedBy={template.managed_by}
          change="key-templates.put"
          remove="key-templates.delete"
          onChange={() => onDo({ what: 'change', template })}
          onDelete={() => onDo({ what: 'delete', template })}
        />
      ),
    },
  ]
}

/** What keys people may make for themselves. */
export function KeyTemplatesTab() {
  const templates = useOperation('key-templates.list', {})
  const [doing, setDoing] = useState<Doing>(null)
  const close = () => setDoing(null)
  return (
    <Panel
      flush
      title="Key templates"
      description="People with access to the workspace make keys of their own from these, under My keys."
      actions={
        <MayButton
          to="key-templates.put"
          leftSection={<Plus size={16} aria-hidden />}
          onClick={() => setDoing({ what: 'create' })}
        >
          Create a template
        </MayButton>
      }
    >
      <Loaded query={templates}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No key templates">Create one to let people make their own keys.</EmptyState>
          ) : (
            <DataTable label="Key templates" columns={columnsWith(setDoing)} rows={data} rowKey={({ name }) => name} />
          )
        }
      </Loaded>
      {doing?.what === 'create' && <EditTemplate of={null} onClose={close} />}
      {doing?.what === 'change' && <EditTemplate of={doing.template} onClose={close} />}
      {doing?.what === 'delete' && <DeleteTemplate of={doing.template} onClose={close} />}
    </Panel>
  )
}

function DeleteTemplate({ of: { name }, onClose }: { of: Template; onClose: () => void }) {
  const remove = useChange('key-templates.delete')
  const onSuccess = () => {
    tell(`Template ${name} deleted`)
    onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete ${name}?`}
      action="Delete the template"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { name } }, { onSuccess })}
    >
      No further keys can be made from it. Keys that were made from it must be revoked first.
    </Confirm>
  )
}
