import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Item } from '../../../api/client.ts'
import { useChange, useOperation } from '../../../api/hooks.ts'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { FormError } from '../../../components/form-error.tsx'
import { MayButton } from '../../../components/may-button.tsx'
import { Loaded } from '../../../components/states.tsx'
import { tell } from '../../../components/tell.ts'
import { Time } from '../../../components/time.tsx'

type Revocation = Item<'token-issuers.revocations'>

const CLAIMS = [
  { value: 'sub', label: 'Subject (sub)' },
  { value: 'jti', label: 'One token (jti)' },
  { value: 'sid', label: 'One sign-in (sid)' },
] as const
type Claim = (typeof CLAIMS)[number]['value']

/** Whose tokens of an issuer are refused, and more of them. */
export function Revocations({ issuer, onClose }: { issuer: string; onClose: () => void }) {
  const revocations = useOperation('token-issuers.revocations', { params: { name: issuer } })
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Revoked tokens of ${issuer}`}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Revoke issuer={issuer} />
        <Loaded query={revocations}>
          {({ data }) =>
            data.length === 0 ? (
              <Text size="sm" c="dimmed">
                Nothing is revoked.
              </Text>
            ) : (
              <DataTable
                label="Revocations"
                columns={columnsOf(issuer)}
                rows={data}
                rowKey={({ claim, value }) => `${claim} ${value}`}
              />
            )
          }
        </Loaded>
      </Stack>
    </Modal>
  )
}

function columnsOf(issuer: string): Column<Revocation>[] {
  return [
    { name: 'claim', title: 'What', cell: ({ claim }) => CLAIMS.find(({ value }) => value === claim)?.label ?? claim },
    {
      name: 'value',
      title: 'Value',
      cell: ({ value }) => (
        <span className="mono" style={{ overflowWrap: 'anywhere' }}>
          {value}
        </span>
      ),
    },
    { name: 'until', title: 'Until', cell: ({ until }) => (until === null ? 'for ever' : <Time at={until} />) },
    {
      name: 'accept',
      title: 'Actions',
      figures: true,
      cell: (revocation) => <Accept issuer={issuer} of={revocation} />,
    },
  ]
}

function Accept({ issuer, of: { claim, value } }: { issuer: string; of: Revocation }) {
  const accept = useChange('token-issuers.accept')
  const onSuccess = () => tell('Accepted again from the next call')
  return (
    <MayButton
      to="token-issuers.accept"
      variant="default"
      size="compact-xs"
      loading={accept.isPending}
      aria-label={`Accept again: ${value}`}
      onClick={() => accept.mutate({ params: { name: issuer, claim, value } }, { onSuccess })}
    >
      Accept again
    </MayButton>
  )
}

function Revoke({ issuer }: { issuer: string }) {
  const revoke = useChange('token-issuers.revoke')
  const [claim, setClaim] = useState<Claim>('sub')
  const [value, setValue] = useState('')

  function submit(event: FormEvent) {
    event.preventDefault()
    const onSuccess = () => {
      tell('Revoked from the next call')
      setValue('')
    }
    revoke.mutate({ params: { name: issuer }, body: { claim, value: value.trim() } }, { onSuccess })
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Group align="flex-end" gap="sm">
          <Select
            label="Revoke"
            data={CLAIMS}
            value={claim}
            allowDeselect={false}
            onChange={(chosen) => setClaim((chosen ?? 'sub') as Claim)}
            comboboxProps={{ shadow: 'md' }}
          />
          <TextInput
            label="Value"
            style={{ flex: 1 }}
            miw={180}
            autoComplete="off"
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
          />
          <Button type="submit" loading={revoke.isPending} disabled={value.trim() === ''}>
            Revoke
          </Button>
        </Group>
        <FormError error={revoke.error} fields={[]} />
      </Stack>
    </form>
  )
}
