export * from 'luxon';
