import { Badge, Group, Text } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useChange, useOperation } from '../../../api/hooks.ts'
import { Confirm } from '../../../components/confirm.tsx'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { MayButton } from '../../../components/may-button.tsx'
import { Panel } from '../../../components/panel.tsx'
import { EmptyState, Loaded } from '../../../components/states.tsx'
import { tell } from '../../../components/tell.ts'
import { EditIssuer } from './edit-issuer.tsx'
import type { Issuer } from './issuer-form.ts'
import { Revocations } from './revocations.tsx'
import { RowActions, SmallButton } from './row-actions.tsx'

type Doing = { what: 'create' } | { what: 'change' | 'delete' | 'revoke'; issuer: Issuer } | null

function columnsWith(onDo: (doing: Doing) => void): Column<Issuer>[] {
  return [
    {
      name: 'name',
      title: 'Issuer',
      cell: ({ name, issuer, enabled }) => (
        <div>
          <Group gap="xs" wrap="nowrap">
            <Text span size="sm" fw={550}>
              {name}
            </Text>
            {!enabled && <Badge color="gray">off</Badge>}
          </Group>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {issuer}
          </Text>
        </div>
      ),
    },
    { name: 'audiences', title: 'Audiences', wideOnly: true, cell: ({ audiences }) => audiences.join(', ') },
    { name: 'rules', title: 'Rules', figures: true, cell: ({ rules }) => rules.length },
    {
      name: 'actions',
      title: 'Actions',
      figures: true,
      cell: (issuer) => (
        <RowActions
          name={issuer.name}
          managedBy={issuer.managed_by}
          change="token-issuers.put"
          remove="token-issuers.delete"
          onChange={() => onDo({ what: 'change', issuer })}
          onDelete={() => onDo({ what: 'delete', issuer })}
        >
          <SmallButton label={`Revoke tokens of ${issuer.name}`} onClick={() => onDo({ what: 'revoke', issuer })}>
            Revoke
          </SmallButton>
        </RowActions>
      ),
    },
  ]
}

/** Whose tokens are accepted in place of a gateway key. */
export function TokenIssuersTab() {
  const issuers = useOperation('token-issuers.list', {})
  const [doing, setDoing] = useState<Doing>(null)
  const close = () => setDoing(null)
  return (
    <Panel
      flush
      title="Token issuers"
      description="Identity providers whose tokens are accepted in place of a gateway key."
      actions={
        <MayButton
          to="token-issuers.put"
          leftSection={<Plus size={16} aria-hidden />}
          onClick={() => setDoing({ what: 'create' })}
        >
          Add an issuer
        </MayButton>
      }
    >
      <Loaded query={issuers}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No token issuers">
              Add one to let jobs, pods and people call with a token of their identity provider.
            </EmptyState>
          ) : (
            <DataTable label="Token issuers" columns={columnsWith(setDoing)} rows={data} rowKey={({ name }) => name} />
          )
        }
      </Loaded>
      {doing?.what === 'create' && <EditIssuer of={null} onClose={close} />}
      {doing?.what === 'change' && <EditIssuer of={doing.issuer} onClose={close} />}
      {doing?.what === 'revoke' && <Revocations issuer={doing.issuer.name} onClose={close} />}
      {doing?.what === 'delete' && <DeleteIssuer of={doing.issuer} onClose={close} />}
    </Panel>
  )
}

function DeleteIssuer({ of: { name }, onClose }: { of: Issuer; onClose: () => void }) {
  const remove = useChange('token-issuers.delete')
  const onSuccess = () => {
    tell(`Token issuer ${name} deleted`)
    onClose()
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete ${name}?`}
      action="Delete the issuer"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { name } }, { onSuccess })}
    >
      Its tokens are refused from the next call. Its revocations are deleted with it.
    </Confirm>
  )
}
