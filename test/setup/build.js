/** Before the tests of the package: builds dist/, which not every test may do by itself, because others use it at the same time. */
const { setUp } = require('../../dev/install/setUp');

module.exports = () => setUp('--build');
