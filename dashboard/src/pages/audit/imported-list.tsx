import { Anchor, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { DrawerSection } from '../../components/detail-drawer.tsx'
import { count } from '../../format/number.ts'
import { valueText } from '../../format/value.ts'
import { usePath } from '../../shell/place.ts'
import classes from './difference-table.module.css'

interface Imported {
  source: string
  added: { provider: string; model: string }[]
  changed: { provider: string; model: string; changes: { field: string; before: unknown; after: unknown }[] }[]
}

export function isImported(after: unknown): after is Imported {
  const { added, changed, source } = (after ?? {}) as Partial<Imported>
  return Array.isArray(added) && Array.isArray(changed) && typeof source === 'string'
}

/** More than this many make no sense to read here. */
const SHOWN = 200

/** What an import of prices did. */
export function ImportedList({ imported: { source, added, changed } }: { imported: Imported }) {
  const changes = changed.flatMap((model) => model.changes.map((change) => ({ ...model, ...change })))
  return (
    <Stack gap="xl">
      <Text size="sm">
        {count(added.length)} added and {count(changed.length)} changed by <span className="mono">{source}</span>.
      </Text>
      {changes.length > 0 && (
        <DrawerSection title="Changed">
          <table className={classes['table']}>
            <thead>
              <tr>
                <th scope="col">Model</th>
                <th scope="col">Before</th>
                <th scope="col">After</th>
              </tr>
            </thead>
            <tbody>
              {changes.slice(0, SHOWN).map(({ provider, model, field, before, after }) => (
                <tr key={`${provider}/${model} ${field}`}>
                  <th scope="row">
                    <ModelLink provider={provider} model={model} />
                    <br />
                    <span className="mono">{field}</span>
                  </th>
                  <td className={classes['before']} data-gone={before !== null || undefined}>
                    {valueText(before)}
                  </td>
                  <td className={classes['after']} data-new={after !== null || undefined}>
                    {valueText(after)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <More of={changes.length} />
        </DrawerSection>
      )}
      {added.length > 0 && (
        <DrawerSection title="Added">
          {added.slice(0, SHOWN).map(({ provider, model }) => (
            <ModelLink key={`${provider}/${model}`} provider={provider} model={model} />
          ))}
          <More of={added.length} />
        </DrawerSection>
      )}
    </Stack>
  )
}

function More({ of }: { of: number }) {
  if (of <= SHOWN) return null
  return (
    <Text size="xs" c="dimmed">
      The first {SHOWN} of {count(of)}.
    </Text>
  )
}

function ModelLink({ provider, model }: { provider: string; model: string }) {
  const path = usePath()
  return (
    <Anchor component={Link} href={path('registry', provider, model)} size="sm" className="mono">
      {provider}/{model}
    </Anchor>
  )
}
