import { Badge, Group, Stack, Text } from '@mantine/core'
import { usePages } from '../../api/hooks.ts'
import { DrawerSection } from '../../components/detail-drawer.tsx'
import { OlderButton } from '../../components/history/older-button.tsx'
import { Loaded, LoadingRows } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { MoveLine } from './move-line.tsx'
import { movesOf, type PriceVersion } from './price-change.ts'
import { PriceChart } from './price-chart.tsx'
import classes from './registry.module.css'
import { sourceText } from './registry-list.ts'

/** Every version of a model's prices, the newest first, and what each changed. */
export function PriceHistory({ provider, model }: { provider: string; model: string }) {
  const pages = usePages('registry.history', { params: { provider, model }, query: { limit: 50 } })
  return (
    <DrawerSection title="Price history">
      <Loaded
        query={{ data: pages.rows, error: pages.error, refetch: pages.refetch as never }}
        loading={<LoadingRows rows={3} />}
      >
        {(versions) =>
          versions.length === 0 ? (
            <Text size="sm" c="dimmed">
              No price set: calls are logged without a cost.
            </Text>
          ) : (
            <Stack gap="md">
              <PriceChart versions={versions} />
              <ol className={classes['history']}>
                {versions.map((version, index) => (
                  <Version
                    key={version.id}
                    version={version}
                    isCurrent={index === 0}
                    isOnly={versions.length === 1}
                    // The version before the last one loaded may be on the next page.
                    before={versions[index + 1] ?? (pages.hasNextPage ? undefined : null)}
                  />
                ))}
              </ol>
              <OlderButton pages={pages}>Load older versions</OlderButton>
            </Stack>
          )
        }
      </Loaded>
    </DrawerSection>
  )
}

interface VersionProps {
  version: PriceVersion
  isCurrent: boolean
  /** Its prices are already shown above. */
  isOnly: boolean
  /** Null: this is the first; undefined: not loaded yet. */
  before: PriceVersion | null | undefined
}

function Version({ version, isCurrent, isOnly, before }: VersionProps) {
  const moves = before === undefined || isOnly ? [] : movesOf(before, version)
  return (
    <li className={classes['version']} data-current={isCurrent || undefined}>
      <Group gap="xs">
        <Text fw={600} size="sm">
          Since <Time at={version.created_at} />
        </Text>
        {isCurrent && <Badge color="rail">in force</Badge>}
        <Text size="xs" c="dimmed" title={version.source}>
          {sourceText(version.source)} · version {version.id}
        </Text>
      </Group>
      <div className={classes['moves']}>
        {moves.map((move) => (
          <MoveLine key={move.name} move={move} />
        ))}
      </div>
    </li>
  )
}
