/** Two tracks that cross at a switch. */
export function Logo({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--mantine-color-rail-6)" />
      <path
        d="M6 21h6.5c2.6 0 3.6-1.2 5-4l1-2c1.4-2.8 2.4-4 5-4H26M6 11h6.5c1.5 0 2.5.4 3.3 1.2M26 21h-2.5c-1.5 0-2.5-.4-3.3-1.2"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
    </svg>
  )
}
