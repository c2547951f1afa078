"""DICOM files, read by pydicom and DCMTK, and sidecars of NIfTI files, held to the names of BIDS."""

import json
import shutil
import subprocess

import numpy as np
import pytest
import whorl


# Turned by 30 degrees about z, then tilted.
READ = np.array([np.cos(0.5), np.sin(0.5), 0])
SLICE = np.cross(READ, np.array([-np.sin(0.5) * 0.8, np.cos(0.5) * 0.8, 0.6]))
PHASE = np.cross(SLICE, READ)


def frames(count, step=(0, 0, 0), fov=(192.0, 100.0, 30.0), **index):
    made = []
    for i in range(count):
        frame = whorl.reconstruction.ImageFrame()
        frame.geometry.field_of_view_mm = fov
        frame.geometry.position_mm = tuple(np.array([10.0, -20.0, 35.5]) + i * np.array(step))
        frame.geometry.read_direction, frame.geometry.phase_direction = tuple(READ), tuple(PHASE)
        frame.geometry.slice_direction = tuple(SLICE)
        for name in index:
            setattr(frame.index, name, i)
        made.append(frame)
    return made


@pytest.fixture
def pydicom():
    return pytest.importorskip("pydicom")


def test_volumes_as_dicom(tmp_path, rng, pydicom):
    images = rng.uniform(0, 3e-4, (2, 5, 20, 24)).astype("float32")
    files = whorl.write_image(tmp_path / "image.dcm", images, frames(2, repetition=True))
    assert [file.name for file in files] == [f"image_{i:03}.dcm" for i in range(1, 11)]
    sets = [pydicom.dcmread(file) for file in files]
    for i, found in enumerate(sets):
        assert found.SOPClassUID == pydicom.uid.MRImageStorage and found.Modality == "MR"
        assert found.file_meta.TransferSyntaxUID == pydicom.uid.ExplicitVRLittleEndian
        assert (found.Rows, found.Columns, found.InstanceNumber) == (20, 24, i + 1)
        assert found.TemporalPositionIdentifier == i // 5 + 1
        # A value is rounded to half a step of 1 / 65535 of the largest one; the slope is written with 10 digits and more.
        values = found.pixel_array * float(found.RescaleSlope) + float(found.RescaleIntercept)
        assert np.abs(values - images[i // 5, i % 5]).max() < 0.5001 * float(found.RescaleSlope)
        np.testing.assert_allclose(found.PixelSpacing, [5.0, 8.0])
        np.testing.assert_allclose([found.SliceThickness, found.SpacingBetweenSlices], 6.0)
        np.testing.assert_allclose(found.ImageOrientationPatient, [*READ, *PHASE], atol=1e-12)
        # Voxel floor(N/2) = (12, 10, 2) lies at the position; the first pixel of the slice:
        corner = np.array([10.0, -20.0, 35.5]) - 12 * 8 * READ - 10 * 5 * PHASE + (i % 5 - 2) * 6 * SLICE
        np.testing.assert_allclose(found.ImagePositionPatient, corner, atol=1e-9)
    assert max(found.pixel_array.max() for found in sets) == 65535
    assert len({found.SOPInstanceUID for found in sets}) == 10 and len({found.SeriesInstanceUID for found in sets}) == 1
    assert all(pydicom.uid.UID(found.SOPInstanceUID).is_valid for found in sets)
    # Equal images have equal files, others have other UIDs.
    again = whorl.write_image(tmp_path / "again.dcm", images, frames(2, repetition=True))
    assert [a.read_bytes() for a in again] == [b.read_bytes() for b in files]
    (other,) = whorl.write_image(tmp_path / "other.dcm", images[0, 0], frames(1, fov=(192.0, 100.0, 0.0)))
    assert other.name == "other.dcm" and pydicom.dcmread(other).StudyInstanceUID != sets[0].StudyInstanceUID
    assert pydicom.dcmread(other).SliceThickness is None


def test_dicom_is_valid_for_dcmtk(tmp_path, rng):
    if shutil.which("dcmdump") is None:
        pytest.skip("dcmdump (DCMTK) is not installed")
    images = rng.uniform(0, 1000, (1, 1, 9, 11)).astype("float32")
    (file,) = whorl.write_image(tmp_path / "image.dcm", images, frames(1))
    result = subprocess.run(["dcmdump", "--print-all", str(file)], capture_output=True, text=True, check=True)
    assert "W:" not in result.stderr and "E:" not in result.stderr
    assert "(0008,0060) CS [MR]" in result.stdout and "=MRImageStorage" in result.stdout
    assert "(0028,0011) US 11" in result.stdout and "(7fe0,0010) OW" in result.stdout


def test_what_dicom_does_not_hold_is_refused(tmp_path):
    image = np.ones((1, 1, 4, 4), "float32")
    with pytest.raises(whorl.ValueError, match="pixels have no size"):
        whorl.write_image(tmp_path / "a.dcm", image, frames(1, fov=(0.0, 0.0, 0.0)))
    with pytest.raises(whorl.ValueError, match="magnitudes"):
        whorl.write_image(tmp_path / "a.dcm", image, frames(1), complex=True)
    assert not list(tmp_path.iterdir())


HEADER = """<?xml version="1.0"?><ismrmrdHeader xmlns="http://www.ismrm.org/ISMRMRD">
<measurementInformation><patientPosition>HFS</patientPosition><protocolName>spiral \\ echoes</protocolName></measurementInformation>
<acquisitionSystemInformation><systemVendor>Some Vendor</systemVendor><systemModel>Model 7</systemModel>
<systemFieldStrength_T>2.89362</systemFieldStrength_T><institutionName>Institute</institutionName></acquisitionSystemInformation>
<experimentalConditions><H1resonanceFrequency_Hz>123251815</H1resonanceFrequency_Hz></experimentalConditions>
<encoding>{encoding}</encoding>
<sequenceParameters><TR>25.5</TR><TE>3.2</TE><TE>7.9</TE><flipAngle_deg>15</flipAngle_deg><sequence_type>Flash</sequence_type>
</sequenceParameters></ismrmrdHeader>"""


@pytest.fixture
def scan_with_header(tmp_path, rng):
    h5py = pytest.importorskip("h5py")
    scan = whorl.Scan(whorl.trajectory.radial_trajectory(10, 16), (16, 16), rng.normal(size=(3, 160)).astype("complex64"))
    path = tmp_path / "scan.h5"
    whorl.write_scan(scan, path)
    with h5py.File(path, "r+") as file:
        xml = file["dataset/xml"][0].decode()
        encoding = xml[xml.index("<encoding>") + 10 : xml.index("</encoding>")]
        file["dataset/xml"][0] = HEADER.format(encoding=encoding)
    return path


def test_sidecars_have_the_names_of_bids(tmp_path, scan_with_header):
    echoes = frames(2, contrast=True)
    files = whorl.write_image(
        tmp_path / "image.nii.gz",
        np.ones((2, 1, 16, 16), "float32"),
        echoes,
        measured=scan_with_header,
        bids_sidecar=True,
    )
    assert [file.name for file in files] == ["image.nii.gz", "image.json"]
    found = json.loads(files[1].read_text())
    assert found == {
        "Manufacturer": "Some Vendor",
        "ManufacturersModelName": "Model 7",
        "InstitutionName": "Institute",
        "MagneticFieldStrength": 2.89362,
        "PulseSequenceType": "Flash",
        "EchoTime": [0.0032, 0.0079],
        "RepetitionTimeExcitation": 0.0255,
        "FlipAngle": 15.0,
        "MRAcquisitionType": "2D",
    }
    one = whorl.write_image(
        tmp_path / "b.nii", np.ones((1, 16, 16)), echoes[1:], measured=scan_with_header, bids_sidecar=True
    )
    assert json.loads(one[1].read_text())["EchoTime"] == 0.0079
    schema = pytest.importorskip("bidsschematools.schema").load_schema().objects.metadata
    units = {"EchoTime": 1, "RepetitionTimeExcitation": 1}
    assert all(name in schema for name in found)
    assert all(schema[name].get("unit", "s") == "s" for name in units)


def test_facts_in_dicom(tmp_path, scan_with_header, pydicom):
    files = whorl.write_image(
        tmp_path / "a.dcm", np.ones((2, 1, 16, 16), "float32"), frames(2, contrast=True), measured=scan_with_header
    )
    sets = [pydicom.dcmread(file) for file in files]
    assert [float(found.EchoTime) for found in sets] == [3.2, 7.9]
    assert [int(found.EchoNumbers) for found in sets] == [1, 2]
    found = sets[0]
    assert (found.Manufacturer, found.ManufacturerModelName, found.PatientPosition) == ("Some Vendor", "Model 7", "HFS")
    assert float(found.MagneticFieldStrength) == 2.89362 and float(found.RepetitionTime) == 25.5
    assert float(found.ImagingFrequency) == pytest.approx(123.251815) and float(found.FlipAngle) == 15
    assert found.ProtocolName == "spiral   echoes"  # a backslash would part values
