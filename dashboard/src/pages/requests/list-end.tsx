import { Button, Group, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Time } from '../../components/time.tsx'
import { count } from '../../format/number.ts'
import classes from './requests.module.css'

export interface ListEndProps {
  rows: number
  /** How far back the list has looked; null when to the end. */
  searchedTo: string | null
  hasMore: boolean
  /** The slowest come first. */
  isSlow: boolean
  isLoading: boolean
  /** The last page held something: more may be loaded without being asked. */
  isFruitful: boolean
  onMore: () => void
}

/** What comes after the last row: older ones as one scrolls near, or the end. */
export function ListEnd(props: ListEndProps) {
  const { rows, searchedTo, hasMore, isSlow, isLoading, isFruitful, onMore } = props
  const mark = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: observed again after every page, which changes `rows`.
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
        {hasMore
          ? `${count(rows)} shown`
          : rows === 1
            ? 'This is the only request'
            : `All ${count(rows)} requests are shown`}
        {searchedTo !== null && (
          <>
            {isSlow ? ', the slowest since ' : ', back to '}
            <Time at={searchedTo} />
          </>
        )}
      </Text>
      {hasMore && (
        <Button variant="default" size="xs" loading={isLoading} onClick={onMore}>
          {!isFruitful ? 'Look further' : isSlow ? 'Load more' : 'Load older'}
        </Button>
      )}
    </Group>
  )
}
