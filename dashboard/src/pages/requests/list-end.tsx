import { Button, Group, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Time } from '../../components/time.tsx'
import { count } from '../../format/number.ts'
import classes from './requests.module.css'

export interface ListEndProps {
  rows: number
  /** How far back the list has looked; null when to the end. */
  searchedTo: string | null
  isLoading: boolean
  /** The last page held something: more may be loaded without being asked. */
  isFruitful: boolean
  onMore: () => void
}

/** What comes after the last row: older ones as one scrolls near, or the end. */
export function ListEnd({ rows, searchedTo, isLoading, isFruitful, onMore }: ListEndProps) {
  const mark = useRef<HTMLDivElement>(null)
  const hasMore = searchedTo !== null
  // biome-ignore lint/correctness/useExhaustiveDependencies: seen anew after every page, which `rows` tells.
  useEffect(() => {
    if (mark.current === null || !hasMore || !isFruitful || isLoading) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) onMore()
      },
      { rootMargin: '0px 0px 400px 0px' },
    )
    observer.observe(mark.current)
    return () => observer.disconnect()
  }, [hasMore, isFruitful, isLoading, rows])
  return (
    <Group ref={mark} justify="center" gap="sm" className={classes['end'] ?? ''}>
      <Text size="xs" c="dimmed" component="span">
        {hasMore ? (
          <>
            {count(rows)} shown, back to <Time at={searchedTo} />
          </>
        ) : rows === 1 ? (
          'That is the only one'
        ) : (
          `That is all: ${count(rows)} requests`
        )}
      </Text>
      {hasMore && (
        <Button variant="default" size="xs" loading={isLoading} onClick={onMore}>
          {isFruitful ? 'Load older' : 'Look further'}
        </Button>
      )}
    </Group>
  )
}
