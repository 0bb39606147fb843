"""Tables on S3, as Versity's gateway serves it."""

import object_store as checks

SERVICES = ["s3"]
SECONDS = 240


def test_tables_are_shared_with_java(scene):
    checks.check_tables(scene, scene.server("s3"))


def test_names_come_and_go(scene):
    checks.check_names(scene, scene.server("s3"))


def test_snapshots_expire(scene):
    checks.check_expiry(scene, scene.server("s3"))


def test_of_many_writers_one_wins(scene):
    checks.check_two_writers(scene, scene.server("s3"))


def test_faults_in_passing_do_not_show(scene):
    checks.check_faults(scene, scene.server("s3"))


def test_a_killed_job_goes_on(scene):
    checks.check_killed(scene, scene.server("s3"), 10)


def test_stores_without_conditions_are_found_out(scene):
    checks.check_without_conditions(scene, scene.server("s3"))


def test_files_and_tables_outside_of_a_catalog(scene):
    checks.check_files(scene, scene.server("s3"))


def test_errors_say_what_is_wrong(scene):
    checks.check_errors(scene, scene.server("s3"))


def test_few_requests_are_made(scene):
    checks.check_few_requests(scene, scene.server("s3"))
