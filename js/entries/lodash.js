export { default as lodash } from 'lodash';
