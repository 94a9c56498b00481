import { DataList, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyText } from '../../components/copy.tsx'
import { Money } from '../../components/money.tsx'
import { Time } from '../../components/time.tsx'
import type { Key } from './key-list.ts'

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <DataList.Item>
      <DataList.ItemLabel>{label}</DataList.ItemLabel>
      <DataList.ItemValue>{children}</DataList.ItemValue>
    </DataList.Item>
  )
}

/** A moment both ways: how long ago, and when. */
function Moment({ at, otherwise }: { at: string | null; otherwise: string }) {
  if (at === null) return otherwise
  return (
    <>
      <Time at={at} relative />{' '}
      <Text span c="dimmed" inherit>
        · <Time at={at} />
      </Text>
    </>
  )
}

export function KeyFacts({ of: key }: { of: Key }) {
  return (
    <DataList size="sm" gap={6} labelWidth="7.5rem">
      <Fact label="Value">
        <span className="mono">{key.prefix}…</span>{' '}
        <Text span c="dimmed" inherit>
          · the rest is not stored
        </Text>
      </Fact>
      <Fact label="Id">
        <CopyText value={key.id} />
      </Fact>
      <Fact label="Created">
        <Time at={key.created_at} />
      </Fact>
      <Fact label="Last use">
        <Moment at={key.last_used_at} otherwise="never" />
      </Fact>
      <Fact label="Expires">
        <Moment at={key.expires_at} otherwise="never" />
      </Fact>
      {key.revoked_at !== null && (
        <Fact label="Revoked">
          <Moment at={key.revoked_at} otherwise="" />
        </Fact>
      )}
      <Fact label="Total spend">
        <Money usd={key.spent_usd} />
      </Fact>
      {key.opening_spend !== null && (
        <Fact label="Opening spend">
          <Money usd={key.opening_spend.usd} /> before it moved in
        </Fact>
      )}
    </DataList>
  )
}
